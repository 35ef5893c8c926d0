// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/devices.hpp"

#include "runtimes/code_read.hpp"
#include "runtimes/llvm/device_table.hpp"
#include "runtimes/llvm/mapping_tree.hpp"
#include "runtimes/llvm/records.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace gdb_ompd::llvm {

namespace {

// What releases are told apart by: a function that each has and the one before has not.
constexpr const char *of_15 = "__tgt_target_kernel";
constexpr const char *of_17 = "omp_target_memcpy_async";
constexpr const char *of_18 = "omp_target_memset";

// In a device's record: its plugin's, and where its table's head may be.
constexpr std::uint64_t plugin_of_device = 8, first_head = 24, last_head = 160;
// From 18 on, what the table is in has the address of its device behind the table and its lock.
constexpr std::uint64_t device_behind_head = 80;
// In an entry; the device's address is one word later where the allocation's is kept, too.
constexpr std::uint64_t begin_of_entry = 8, end_of_entry = 16, name_of_entry = 24,
                        device_of_entry = 32;
constexpr std::uint64_t never_unmapped = ~std::uint64_t{0}, most_references = 1U << 31U;
constexpr std::size_t longest_name = 512, size_of_plugin = 1024, most_virtual = 64,
                      longest_kind = 24, getter_size = 32;

class DevicesReader {
public:
    DevicesReader(const Memory &memory, const Module &library, const Modules &plugins)
        : space_(memory.space()), memory_(memory), library_(library), plugins_(plugins),
          keeps_pointers_(library.elf->exports(of_15)),
          keeps_allocation_(library.elf->exports(of_17)),
          names_device_(library.elf->exports(of_18)) {}

    [[nodiscard]] OffloadDevice device(int number, std::uint64_t record) {
        OffloadDevice made;
        made.number = number;
        set_plugin(made, word(record + plugin_of_device));
        const auto table = table_of(record);
        if (!table) {
            made.why_unknown = "the device's record is not as it is known";
            return made;
        }
        try {
            for (const std::uint64_t value : table->values(memory_)) {
                made.mapped.push_back(object(value));
            }
        } catch (const Inconsistent &error) {
            made.mapped.clear();
            made.why_unknown = error.what();
        }
        if (!std::ranges::is_sorted(made.mapped, {}, &MappedObject::host)) {
            made.mapped.clear();
            made.why_unknown = "its table is not sorted";
        }
        return made;
    }

private:
    // The first of the trees in a device's record, or the one that the record is named behind.
    [[nodiscard]] std::optional<MappingTree> table_of(std::uint64_t record) {
        for (std::uint64_t place = first_head; place <= last_head; place += 8) {
            const auto tree = MappingTree::at(space_, record + place);
            const auto named = TargetAddr{record + place + device_behind_head};
            if (tree && (!names_device_ || space_.uint_at(named, 8) == record)) {
                return tree;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t word(std::uint64_t address) {
        return memory_.pointer(TargetAddr{address}).value;
    }

    // Of a set's value: the entry, or its key and where the entry is.
    [[nodiscard]] MappedObject object(std::uint64_t value) {
        const std::uint64_t entry = keeps_pointers_ ? word(value + 8) : value;
        const std::uint64_t device = device_of_entry + (keeps_allocation_ ? 8 : 0);
        MappedObject made;
        made.host = word(entry + begin_of_entry);
        const std::uint64_t end = word(entry + end_of_entry);
        const std::uint64_t states = word(entry + device + 8);
        const std::uint64_t dynamic = word(states);
        const std::uint64_t held = word(states + 8);
        const bool is_counted = (dynamic < most_references || dynamic == never_unmapped) &&
                                (held < most_references || held == never_unmapped);
        if (end < made.host || !is_counted || (keeps_pointers_ && word(value) != made.host)) {
            throw Inconsistent("its table is not as it is known");
        }
        made.device = word(entry + device);
        made.bytes = end - made.host;
        if (dynamic != never_unmapped && held != never_unmapped) {
            made.references = dynamic + held;
        }
        made.name = name_at(word(entry + name_of_entry));
        return made;
    }

    // clang gives ";name;file;line;column;;".
    [[nodiscard]] std::string name_at(std::uint64_t address) {
        const bool is_text = address != 0 && memory_.is_readable(TargetAddr{address}, 1);
        const std::string text =
            is_text ? memory_.text(TargetAddr{address}, longest_name) : std::string();
        const auto end = text.find(';', 1);
        return !text.starts_with(';') || end == std::string::npos ? std::string()
                                                                  : text.substr(1, end - 1);
    }

    // Up to 18 a plugin is a file, whose functions its record has; then a class of the library's,
    // of which one function returns what it is called.
    void set_plugin(OffloadDevice &made, std::uint64_t record) {
        std::vector<std::byte> bytes(size_of_plugin);
        for (std::size_t at = 0; !plugins_.empty() && at < size_of_plugin; at += 8) {
            const auto function = space_.uint_at(TargetAddr{record + at}, 8);
            if (!function) {
                break;
            }
            for (const auto &plugin : plugins_) {
                if (holds(*plugin, *function)) {
                    made.plugin = plugin->elf->path();
                    return;
                }
            }
        }
        const auto functions = space_.uint_at(TargetAddr{record}, 8);
        if (functions && holds(library_, *functions)) {
            made.plugin = library_.elf->path();
            made.kind = returned_text(*functions);
        }
    }

    [[nodiscard]] static bool holds(const Module &module, std::uint64_t address) {
        return std::ranges::any_of(module.elf->headers().segments, [&](const Segment &one) {
            return address >= module.bias + one.address &&
                   address - module.bias - one.address < one.size;
        });
    }

    // By the first of FUNCTIONS that does nothing but to return a text.
    [[nodiscard]] std::string returned_text(std::uint64_t functions) {
        for (std::size_t at = 0; at < most_virtual; ++at) {
            const auto function = space_.uint_at(TargetAddr{functions + 8 * at}, 8);
            if (!function || !holds(library_, *function)) {
                break;
            }
            const auto code = code_read(space_, TargetAddr{*function}, getter_size);
            const bool is_getter = code.size() > 1 &&
                                   code[0].operation == code::Operation::address &&
                                   code[0].memory.base == code::no_register &&
                                   code[1].operation == code::Operation::give_back;
            const auto place = is_getter ? code[0].memory.displacement : 0;
            auto text = place == 0 ? std::string()
                                   : memory_.text(TargetAddr{static_cast<std::uint64_t>(place)},
                                                  longest_kind);
            if (text.size() > 1 && std::ranges::all_of(text, [](unsigned char one) {
                    return std::isalnum(one) != 0 || one == '_';
                })) {
                return text;
            }
        }
        return {};
    }

    AddressSpace &space_;
    const Memory &memory_;
    const Module &library_;
    const Modules &plugins_;
    bool keeps_pointers_;
    bool keeps_allocation_;
    bool names_device_;
};

}  // namespace

OffloadDevices read_devices(const Memory &memory, const Module &library, const Modules &plugins) {
    OffloadDevices made;
    made.library = library.elf->path();
    try {
        const auto records = device_records(memory.space(), library);
        if (!records) {
            made.why_unknown = "omp_get_num_devices() is not as it is known";
            return made;
        }
        DevicesReader reader(memory, library, plugins);
        for (const std::uint64_t record : *records) {
            made.devices.push_back(reader.device(static_cast<int>(made.devices.size()), record));
        }
    } catch (const Inconsistent &error) {
        made.devices.clear();
        made.why_unknown = error.what();
    }
    return made;
}

}  // namespace gdb_ompd::llvm
