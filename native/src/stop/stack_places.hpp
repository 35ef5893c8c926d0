// SPDX-License-Identifier: Apache-2.0
// Where in the user's code threads are: which of the user's frames a listing names.
//
// What is called what, the debugger tells: of all threads' innermost user's frames in one call, of
// others as they are looked at.
#pragma once

#include "stop/wait.hpp"
#include "stop/waits.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gdb_ompd {

// A program counter, and whether it is of an innermost frame: others have called there.
struct CodePoint {
    std::uint64_t pc = 0;
    bool innermost = false;

    friend bool operator<(const CodePoint &one, const CodePoint &other) {
        return std::tie(one.pc, one.innermost) < std::tie(other.pc, other.innermost);
    }
};

class PlaceNames {
public:
    virtual ~PlaceNames() = default;

    // The innermost place at each point, null where only a thread's frames tell it.
    [[nodiscard]] virtual std::vector<PlaceRef> at(std::span<const CodePoint> points) = 0;
    // The places of a thread's frame at PC: those of inlined functions, innermost first, then that
    // of the function that they are inlined into.
    [[nodiscard]] virtual std::vector<PlaceRef> chain(int gdb_num, std::uint64_t pc) = 0;
    // The outermost function that has a name below the user's code of a thread, in which no signal
    // has interrupted it.
    [[nodiscard]] virtual std::string outermost_called(int gdb_num) = 0;
};

// What is told of a thread's place in the user's code.
struct StackPlace {
    int gdb_num = 0;       // of the first thread that was found there
    std::uint64_t pc = 0;  // of the user's frame, or of the outermost without one
    ThreadWait wait;       // OUTSIDE is as the user calls it
    PlaceRef place;        // null where it is not known
    PlaceRef innermost;    // that further inside, which has no source
};

class StackPlaces {
public:
    using Read = std::shared_ptr<const WaitReader::Read>;  // null for a thread that is not read
    // What is read of a thread's frames around the user's innermost: of those of the unwinder, or
    // of the debugger's; none where there are none.
    using Around = std::function<std::optional<WaitReader::Read>(int gdb_num, bool by_debugger)>;

    // UNWINDER is null where only the debugger unwinds.
    StackPlaces(WaitReader &waits, PlaceNames &names, Unwinder *unwinder, Around around)
        : waits_(waits), names_(names), unwinder_(unwinder), around_(std::move(around)) {}

    // The numbers of threads' places, none of one whose stack cannot be told. READS are of these
    // threads, up to the user's code.
    [[nodiscard]] std::vector<std::optional<std::size_t>> find(std::span<const int> gdb_nums,
                                                               std::span<const Read> reads);
    // All that were found, by number: threads that are in one place share it.
    [[nodiscard]] const std::vector<StackPlace> &found() const noexcept { return found_; }

private:
    struct Named;
    class Chain;
    void name_innermost(std::span<const Read> reads);
    [[nodiscard]] std::optional<std::size_t> place_of(int gdb_num, const Read &read);
    [[nodiscard]] std::optional<std::size_t> by(int gdb_num, const Read &read, bool is_last);
    [[nodiscard]] Named named(int gdb_num, const WaitReader::Read &read,
                              std::span<const std::size_t> users);
    [[nodiscard]] bool may_be_further_out(const Named &named, const WaitReader::Read &read,
                                          std::span<const std::size_t> users);
    [[nodiscard]] std::vector<std::size_t> users_in(const WaitReader::Read &read);
    [[nodiscard]] bool is_no_code(const NamedPlace &place);
    [[nodiscard]] PlaceRef at(CodePoint point);
    [[nodiscard]] std::vector<PlaceRef> chain(int gdb_num, std::uint64_t pc, bool is_any_threads);
    [[nodiscard]] std::size_t keep(StackPlace place);
    void pass_over(const WaitReader::Read &read, const StackPlace &place);

    WaitReader &waits_;
    PlaceNames &names_;
    Unwinder *unwinder_;
    Around around_;
    std::map<CodePoint, PlaceRef> known_;
    std::map<std::uint64_t, std::vector<PlaceRef>> chains_;  // where known_ has the first one
    std::vector<StackPlace> found_;
    // The last read that tells the same of every thread, and what that is.
    Read shared_;
    std::size_t shared_place_ = 0;
};

}  // namespace gdb_ompd
