// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/devices.hpp"

#include "base/errors.hpp"
#include "runtimes/code_read.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gdb_ompd::gnu {

namespace {

constexpr const char *counts_devices = "omp_get_num_devices";
constexpr std::size_t counting_size = 48;
constexpr std::uint64_t is_done = 2;  // of a control of the C library's pthread_once()
constexpr const char *names_plugin = "GOMP_OFFLOAD_get_name";
// The last functions of a plugin that a device's record has, in front of the tree.
constexpr const char *runs_region = "GOMP_OFFLOAD_run";
constexpr const char *starts_region = "GOMP_OFFLOAD_async_run";

// A device's record begins with the name of its kind and what it can do.
constexpr std::uint64_t abilities = 8, first_function = 16;
constexpr std::uint64_t can_openmp = 4;
constexpr std::uint64_t largest_record = 4096, farthest_function = 512;
constexpr std::size_t most_devices = 1024, longest_kind = 24;

// A node begins with its key: the object's begin and end, what it was mapped with, how far in that
// it is, and how often it is referred to.
constexpr std::uint64_t end_of_key = 8, mapping_of_key = 16, offset_of_key = 24,
                        references_of_key = 32;
constexpr std::uint64_t first_link = 40, last_link = 80;
// Of what it was mapped with, the begin is so far in front of the device.
constexpr std::uint64_t first_device = 40, last_device = 72, begin_before_device = 40;
constexpr std::uint64_t never_unmapped = ~std::uint64_t{0}, most_references = 1U << 31U;
constexpr std::size_t most_nodes = 1U << 20U;

struct MappedNode {
    std::uint64_t address = 0;
    MappedObject object;
};

// The tree of the device whose record is at DEVICE.
class MappingTree {
public:
    MappingTree(AddressSpace &space, std::uint64_t device) : space_(space), device_(device) {}

    [[nodiscard]] std::optional<MappedNode> node(std::uint64_t address) {
        const auto begin = word(address);
        const auto end = word(address + end_of_key);
        const auto mapping = word(address + mapping_of_key);
        const auto offset = word(address + offset_of_key);
        const auto references = word(address + references_of_key);
        const auto base = mapping ? begin_of(*mapping) : std::nullopt;
        if (!begin || !end || !offset || !references || !base || *begin > *end) {
            return std::nullopt;
        }
        MappedNode made{address, {*begin, *base + *offset, *end - *begin, std::nullopt, {}}};
        if (*references < most_references) {
            made.object.references = *references;
        }
        return made;
    }

    // All by their order, where a node has its links to two others at LINKS. None where what is
    // there are no such links.
    [[nodiscard]] std::optional<std::vector<MappedObject>> all(std::uint64_t root,
                                                               std::uint64_t links) {
        std::vector<MappedObject> found;
        std::vector<std::pair<MappedNode, bool>> above;  // whether what is on their left was walked
        std::set<std::uint64_t> seen;
        const auto descend = [&](std::uint64_t address) {
            const auto next = address == 0 ? std::nullopt : node(address);
            if (next) {
                above.emplace_back(*next, false);
            }
            return address == 0 ||
                   (next && seen.insert(address).second && seen.size() < most_nodes);
        };
        bool is_sound = descend(root);
        while (is_sound && !above.empty()) {
            auto &[at, is_second] = above.back();
            const auto link = word(at.address + links + (is_second ? 8 : 0));
            if (!is_second) {
                is_second = true;
                is_sound = link && descend(*link);
                continue;
            }
            is_sound = found.empty() || found.back().host + found.back().bytes <= at.object.host;
            found.push_back(at.object);
            above.pop_back();
            is_sound = is_sound && link && descend(*link);
        }
        return is_sound ? std::optional(std::move(found)) : std::nullopt;
    }

    [[nodiscard]] std::optional<std::vector<MappedObject>> all(std::uint64_t root) {
        std::optional<std::vector<MappedObject>> found;
        for (std::uint64_t links = first_link; links <= last_link; links += 8) {
            auto walked = all(root, links);
            if (walked && (!found || walked->size() > found->size())) {
                found = std::move(walked);
            }
        }
        return found;
    }

private:
    [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address) {
        return space_.uint_at(TargetAddr{address}, 8);
    }

    // None for what is not mapped to this device.
    [[nodiscard]] std::optional<std::uint64_t> begin_of(std::uint64_t mapping) {
        for (std::uint64_t place = first_device; place <= last_device; place += 8) {
            if (word(mapping + place) == device_) {
                return word(mapping + place - begin_before_device);
            }
        }
        return std::nullopt;
    }

    AddressSpace &space_;
    std::uint64_t device_;
};

class DevicesReader {
public:
    DevicesReader(AddressSpace &space, const Module &library, const Modules &plugins)
        : space_(space), library_(library) {
        for (const auto &plugin : plugins) {
            if (const auto named = function(*plugin, names_plugin)) {
                plugins_.emplace(*named, plugin.get());
            }
        }
    }

    [[nodiscard]] std::vector<OffloadDevice> all() {
        const auto list = plugins_.empty() ? std::nullopt : list_of_records();
        std::vector<OffloadDevice> found;
        if (!list) {
            return found;
        }
        const auto &[first, place] = *list;
        const auto size = size_of_record(first, place);
        for (std::size_t count = 0; count < most_devices; ++count) {
            const std::uint64_t record = first + count * size.value_or(0);
            const Module *const plugin = plugin_of(record, place);
            if (plugin == nullptr || (count > 0 && !size)) {
                break;
            }
            if (auto made = device(record, *plugin)) {
                made->number = static_cast<int>(found.size());
                found.push_back(*std::move(made));
            }
        }
        return found;
    }

private:
    [[nodiscard]] static std::optional<std::uint64_t> function(const Module &plugin,
                                                               const char *name) {
        const auto symbol = plugin.elf->symbol(name);
        return symbol ? std::optional(plugin.bias + symbol->value) : std::nullopt;
    }

    [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address) {
        return space_.uint_at(TargetAddr{address}, 8);
    }

    // By the function that names it, which a device's record has at a PLACE.
    [[nodiscard]] const Module *plugin_of(std::uint64_t record, std::uint64_t place) {
        const auto found = plugins_.find(word(record + place).value_or(0));
        return found == plugins_.end() || kind(record).empty() ? nullptr : found->second;
    }

    // Where the first record is that a variable of the library's leads to, and the place in it.
    [[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> list_of_records() {
        for (const Segment &segment : library_.elf->headers().segments) {
            if (segment.flags.find('w') == std::string::npos) {
                continue;
            }
            const std::uint64_t begin = (library_.bias + segment.address + 7) / 8 * 8;
            const std::uint64_t end = library_.bias + segment.address + segment.size;
            for (std::uint64_t variable = begin; variable + 8 <= end; variable += 8) {
                const std::uint64_t record = word(variable).value_or(0);
                if (const auto place = record == 0 ? std::nullopt : place_in(record)) {
                    return std::pair(record, *place);
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::uint64_t> place_in(std::uint64_t record) {
        for (std::uint64_t place = first_function; place < farthest_function; place += 8) {
            const auto found = word(record + place);
            if (!found) {
                return std::nullopt;
            }
            if (plugins_.contains(*found)) {
                return kind(record).empty() ? std::nullopt : std::optional(place);
            }
        }
        return std::nullopt;
    }

    // None where there is no second one.
    [[nodiscard]] std::optional<std::uint64_t> size_of_record(std::uint64_t first,
                                                              std::uint64_t place) {
        for (std::uint64_t size = place + 8; size < largest_record; size += 8) {
            if (plugin_of(first + size, place) != nullptr) {
                return size;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::string kind(std::uint64_t record) {
        std::vector<std::byte> bytes(longest_kind);
        const auto name = word(record);
        try {
            bytes.resize(name ? space_.read_string(TargetAddr{*name}, bytes) : 0);
        } catch (const MemoryUnreadable &) {
            return {};
        }
        std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        return text.ends_with('\0') ? text.substr(0, text.size() - 1) : std::string();
    }

    // None where OpenMP cannot use it.
    [[nodiscard]] std::optional<OffloadDevice> device(std::uint64_t record, const Module &plugin) {
        const auto able = space_.uint_at(TargetAddr{record + abilities}, 4);
        if (!able || (*able & can_openmp) == 0) {
            return std::nullopt;
        }
        OffloadDevice made;
        made.plugin = plugin.elf->path();
        made.kind = kind(record);
        const auto trees = roots(record, plugin);
        MappingTree tree(space_, record);
        const auto mapped = std::ranges::find_if(
            trees, [&](std::uint64_t root) { return root != 0 && tree.node(root); });
        if (mapped != trees.end()) {
            auto all = tree.all(*mapped);
            if (all) {
                made.mapped = *std::move(all);
            } else {
                made.why_unknown = "its tree is being changed, or not as it is known";
            }
        } else if (trees.empty() || trees.front() != 0) {
            made.why_unknown = "the device's record is not as it is known";
        }
        return made;
    }

    // What may be the tree's root, behind the functions of the plugin.
    [[nodiscard]] std::vector<std::uint64_t> roots(std::uint64_t record, const Module &plugin) {
        const auto runs = function(plugin, runs_region);
        const auto starts = function(plugin, starts_region);
        std::vector<std::uint64_t> found;
        for (std::uint64_t place = first_function; runs && place < farthest_function; place += 8) {
            if (word(record + place) != *runs) {
                continue;
            }
            for (const std::uint64_t behind : {place + 8, place + 16}) {
                const auto root = word(record + behind);
                if (root && root != starts) {
                    found.push_back(*root);
                }
            }
            break;
        }
        return found;
    }

    AddressSpace &space_;
    const Module &library_;
    std::map<std::uint64_t, const Module *> plugins_;  // by their functions that name them
};

}  // namespace

namespace {

struct Counted {
    bool has_looked = false;
    std::uint64_t devices = 0;
};

// What omp_get_num_devices() returns, once it has looked for them: it begins with that.
std::optional<Counted> counted(AddressSpace &space, const Module &library) {
    const auto entry = library.elf->symbol(counts_devices);
    std::optional<std::uint64_t> place;
    if (entry) {
        place = library.bias + entry->value;
    }
    for (int functions = 0; place && functions < 2; ++functions) {
        std::optional<std::uint64_t> control;
        std::optional<std::uint64_t> next;
        for (const code::Instruction &one : code_read(space, TargetAddr{*place}, counting_size)) {
            const bool is_static = one.memory.base == code::no_register;
            const auto variable = TargetAddr{static_cast<std::uint64_t>(one.memory.displacement)};
            if (one.operation == code::Operation::jump) {
                next = one.target;
                break;
            }
            if (one.operation == code::Operation::address && is_static) {
                control = variable.value;  // the last, as it is the first argument
            } else if (one.operation == code::Operation::load && is_static && one.width == 4) {
                const auto state = control ? space.uint_at(TargetAddr{*control}, 4) : std::nullopt;
                const auto count = space.uint_at(variable, 4);
                return state && count ? std::optional(Counted{*state == is_done, *count})
                                      : std::nullopt;
            }
        }
        place = next;
    }
    return std::nullopt;
}

}  // namespace

OffloadDevices read_devices(AddressSpace &space, const Module &library, const Modules &plugins) {
    OffloadDevices made;
    made.library = library.elf->path();
    const auto known = counted(space, library);
    if (!known) {
        made.why_unknown = "omp_get_num_devices() is not as it is known";
        return made;
    }
    made.is_late = !known->has_looked;
    if (known->has_looked && known->devices != 0) {
        made.devices = DevicesReader(space, library, plugins).all();
        if (made.devices.size() != known->devices) {
            made.devices.clear();
            made.why_unknown = "their records are not as they are known";
        }
    }
    return made;
}

}  // namespace gdb_ompd::gnu
