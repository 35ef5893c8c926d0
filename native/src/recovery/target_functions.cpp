// SPDX-License-Identifier: Apache-2.0
#include "recovery/target_functions.hpp"

#include "code/entry_table.hpp"
#include "code/function_code.hpp"
#include "code/image.hpp"
#include "code/outlined_names.hpp"
#include "elf/elf.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace gdb_ompd::recovery {

namespace {

// What clang calls from the other, and people are not shown.
constexpr std::string_view of_debuggers = "_debug__";

bool calls_device(std::string_view name) {
    const code::EntryPoint *const entry = code::entry_point(name);
    return entry != nullptr && entry->kind == code::WaitKind::target;
}

class Finder {
public:
    explicit Finder(const std::string &path) : elf_(path, std::nullopt, ""), file_(path) {}

    TargetFunctions find() {
        TargetFunctions found;
        for (const Symbol &symbol : elf_.functions()) {
            const std::string name = code::without_version(symbol.name);
            const auto region = code::target_region(name);
            if (region && !name.ends_with(of_debuggers)) {
                found.regions.push_back({name, region->function, region->line, returns(symbol)});
            } else if (calls_device(name) && !code::is_of_gcc(name)) {
                found.calls.push_back({name, {}, 0, returns(symbol)});
            }
        }
        for (const std::string &each : elf_.imports()) {
            std::string name = code::without_version(each);
            if (!calls_device(name)) {
                continue;
            }
            if (code::is_of_gcc(name)) {
                found.is_of_gcc = true;
            } else {
                found.wanted.push_back(std::move(name));
            }
        }
        return found;
    }

private:
    std::vector<std::uint64_t> returns(const Symbol &symbol) {
        if (!image_) {
            architecture_ = code::make_architecture(file_.header().e_machine);
            if (!architecture_) {
                return {};
            }
            image_.emplace(file_, *architecture_);
        }
        std::vector<std::uint64_t> found;
        std::vector<code::Instruction> instructions;
        if (const auto bytes = image_->bytes(symbol.value, symbol.size)) {
            architecture_->decode(*bytes, symbol.value, instructions);
        }
        for (const code::Instruction &one : instructions) {
            if (one.operation == code::Operation::give_back) {
                found.push_back(one.address - symbol.value);
            }
        }
        return found;
    }

    ElfImage elf_;
    ElfFile file_;
    std::unique_ptr<code::Architecture> architecture_;  // made with the first function
    std::optional<code::Image> image_;
};

}  // namespace

TargetFunctions target_functions(const std::string &path) { return Finder(path).find(); }

}  // namespace gdb_ompd::recovery
