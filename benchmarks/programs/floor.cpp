// SPDX-License-Identifier: Apache-2.0
// floor LIBOMPD REPEATS THREADS PROGRAM [ARGUMENTS]: what libompd itself costs.
//
// Starts PROGRAM, stops it once THREADS threads are there and all but one sleep, and
// asks libompd for each thread's number, team size and state, its callbacks reading by
// process_vm_readv, a page at most once in a listing: no debugger and no Python. Prints
// a listing's median processor time and how many threads were found in a team of that size.
#include "../../native/src/base/ompd_types.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <gelf.h>
#include <malloc.h>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

struct ompd_address_space_context_t {};
struct ompd_thread_context_t {
    std::uint64_t pointer;
};

namespace {

pid_t program;
std::unordered_map<std::string, std::uint64_t> symbols;  // addresses in the program
std::int64_t number_at = 0;                              // __kmp_gtid, from the thread pointer
ompd_address_space_context_t space;
ompd_thread_context_t thread;

constexpr std::uint64_t page = 4096;
std::unordered_map<std::uint64_t, std::array<char, page>> pages;  // of this listing

bool fetch(std::uint64_t address, std::size_t size, void *out) {
    const iovec here{out, size};
    const iovec there{reinterpret_cast<void *>(address), size};
    return process_vm_readv(program, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

bool read(std::uint64_t address, std::size_t size, void *out) {
    const std::uint64_t inside = address % page;
    if (inside + size > page)
        return fetch(address, size, out);
    const auto [found, is_new] = pages.try_emplace(address - inside);
    if (is_new && !fetch(address - inside, page, found->second.data())) {
        pages.erase(found);
        return false;
    }
    std::memcpy(out, found->second.data() + inside, size);
    return true;
}

template <class T> T read_as(std::uint64_t address) {
    T value{};
    if (!read(address, sizeof value, &value))
        throw std::runtime_error("memory cannot be read");
    return value;
}

ompd_rc_t alloc(ompd_size_t size, void **out) {
    *out = std::calloc(1, size + 1);
    return *out == nullptr ? ompd_rc_nomem : ompd_rc_ok;
}

ompd_rc_t free_it(void *memory) {
    std::free(memory);
    return ompd_rc_ok;
}

ompd_rc_t print(const char *, int) { return ompd_rc_ok; }

ompd_rc_t sizes(ompd_address_space_context_t *, ompd_device_type_sizes_t *out) {
    *out = {1, 2, 4, 8, 8, 8};
    return ompd_rc_ok;
}

ompd_rc_t symbol(ompd_address_space_context_t *, ompd_thread_context_t *of, const char *name,
                 ompd_address_t *out, const char *) {
    if (of != nullptr && std::strcmp(name, "__kmp_gtid") == 0) {
        *out = {ompd_segment_none, of->pointer + static_cast<std::uint64_t>(number_at)};
        return ompd_rc_ok;
    }
    const auto found = symbols.find(name);
    *out = {ompd_segment_none, found == symbols.end() ? 0 : found->second};
    return found == symbols.end() ? ompd_rc_error : ompd_rc_ok;
}

ompd_rc_t read_memory(ompd_address_space_context_t *, ompd_thread_context_t *,
                      const ompd_address_t *address, ompd_size_t size, void *out) {
    return read(address->address, size, out) ? ompd_rc_ok : ompd_rc_error;
}

ompd_rc_t write_memory(ompd_address_space_context_t *, ompd_thread_context_t *,
                       const ompd_address_t *, ompd_size_t, const void *) {
    return ompd_rc_unsupported;
}

ompd_rc_t convert(ompd_address_space_context_t *, const void *in, ompd_size_t unit,
                  ompd_size_t count, void *out) {
    std::memmove(out, in, unit * count);
    return ompd_rc_ok;
}

ompd_rc_t context(ompd_address_space_context_t *, ompd_thread_id_t, ompd_size_t, const void *id,
                  ompd_thread_context_t **out) {
    std::memcpy(&thread.pointer, id, sizeof thread.pointer);
    *out = &thread;
    return ompd_rc_ok;
}

const ompd_callbacks_t callbacks{alloc,        free_it,     print,   sizes,   symbol, read_memory,
                                 write_memory, read_memory, convert, convert, context};

template <class... Arguments> void ask(void *library, const char *name, Arguments... arguments) {
    using Function = ompd_rc_t (*)(Arguments...);
    const auto function = reinterpret_cast<Function>(dlsym(library, name));
    const ompd_rc_t code = function(arguments...);
    if (code != ompd_rc_ok)
        throw std::runtime_error(name + std::string(": ") + std::to_string(code));
}

// The program's threads, and how many of them sleep.
std::pair<int, int> threads_and_sleeping() {
    const std::string folder = "/proc/" + std::to_string(program) + "/task/";
    int count = 0;
    int sleeping = 0;
    DIR *const tasks = opendir(folder.c_str());
    while (const dirent *entry = tasks == nullptr ? nullptr : readdir(tasks)) {
        std::string text;
        std::getline(std::ifstream(folder + entry->d_name + "/stat"), text);
        const auto name_end = text.rfind(')');
        if (entry->d_name[0] == '.' || name_end == std::string::npos)
            continue;
        ++count;
        sleeping += text[name_end + 2] == 'S' ? 1 : 0;
    }
    if (tasks != nullptr)
        closedir(tasks);
    return {count, sleeping};
}

void read_symbols(const std::string &path, std::uint64_t bias) {
    elf_version(EV_CURRENT);
    const int file = open(path.c_str(), O_RDONLY);
    Elf *const elf = elf_begin(file, ELF_C_READ, nullptr);
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header{};
        gelf_getshdr(section, &header);
        if (header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *const data = elf_getdata(section, nullptr);
        for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
            GElf_Sym found{};
            gelf_getsym(data, static_cast<int>(i), &found);
            symbols[elf_strptr(elf, header.sh_link, found.st_name)] = bias + found.st_value;
        }
    }
    elf_end(elf);
    close(file);
}

void find_runtime() {
    std::ifstream maps("/proc/" + std::to_string(program) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("/libomp.so") != std::string::npos) {
            read_symbols(line.substr(line.find('/')), std::stoull(line, nullptr, 16));
            return;
        }
    }
    throw std::runtime_error("the program has no libomp.so");
}

// A debugger has its threads from the system; here the runtime's own array names them.
// By the numbers that they have there: those of hidden helper threads are left out.
std::map<std::int32_t, std::uint64_t> thread_pointers() {
    const auto offset = [](const char *name) { return read_as<std::uint64_t>(symbols.at(name)); };
    const std::uint64_t at =
        offset("ompd_access__kmp_info_t__th") + offset("ompd_access__kmp_base_info_t__th_info") +
        offset("ompd_access__kmp_desc_t__ds") + offset("ompd_access__kmp_desc_base_t__ds_thread");
    const auto array = read_as<std::uint64_t>(symbols.at("__kmp_threads"));
    const auto capacity = read_as<std::int32_t>(symbols.at("__kmp_threads_capacity"));
    std::map<std::int32_t, std::uint64_t> found;
    for (std::int32_t i = 0; i < capacity; ++i) {
        const auto info = read_as<std::uint64_t>(array + 8U * static_cast<unsigned>(i));
        if (info != 0)
            found[i] = read_as<std::uint64_t>(info + at);
    }
    return found;
}

// Each thread's storage has the thread's number at the same offset.
void find_number(const std::map<std::int32_t, std::uint64_t> &pointers) {
    for (number_at = -4; number_at > -4096; number_at -= 4) {
        if (std::all_of(pointers.begin(), pointers.end(), [](const auto &each) {
                const auto address = each.second + static_cast<std::uint64_t>(number_at);
                return read_as<std::int32_t>(address) == each.first;
            })) {
            return;
        }
    }
    throw std::runtime_error("the threads' own numbers are not found");
}

int listing(void *library, const std::map<std::int32_t, std::uint64_t> &pointers) {
    pages.clear();
    ompd_address_space_handle_t *process = nullptr;
    ask(library, "ompd_process_initialize", &space, &process);
    int found = 0;
    for (const auto &[gtid, pointer] : pointers) {
        ompd_thread_handle_t *handle = nullptr;
        ompd_parallel_handle_t *region = nullptr;
        ompd_word_t number = -1;
        ompd_word_t size = -1;
        ompd_word_t state = 0;
        ompd_wait_id_t wait = 0;
        ask(library, "ompd_get_thread_handle", process, ompd_thread_id_pthread,
            ompd_size_t{sizeof pointer}, static_cast<const void *>(&pointer), &handle);
        ask(library, "ompd_get_state", handle, &state, &wait);
        ask(library, "ompd_get_icv_from_scope", static_cast<void *>(handle), ompd_scope_thread,
            ompd_icv_id_t{21}, &number);
        ask(library, "ompd_get_curr_parallel_handle", handle, &region);
        ask(library, "ompd_get_icv_from_scope", static_cast<void *>(region), ompd_scope_parallel,
            ompd_icv_id_t{29}, &size);
        ask(library, "ompd_rel_parallel_handle", region);
        ask(library, "ompd_rel_thread_handle", handle);
        found += number >= 0 && size == static_cast<ompd_word_t>(pointers.size()) ? 1 : 0;
    }
    ask(library, "ompd_rel_address_space_handle", process);
    return found;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void measure(const char *library_path, int repeats, int count) {
    while (threads_and_sleeping() != std::pair(count, count - 1)) {
        if (waitpid(program, nullptr, WNOHANG) != 0)
            throw std::runtime_error("the program ended");
        usleep(1000);
    }
    kill(program, SIGSTOP);
    waitpid(program, nullptr, WUNTRACED);
    find_runtime();
    const auto pointers = thread_pointers();
    find_number(pointers);
    void *const library = dlopen(library_path, RTLD_NOW);
    if (library == nullptr)
        throw std::runtime_error(dlerror());
    ask(library, "ompd_initialize", ompd_word_t{201811}, &callbacks);
    std::vector<double> took;
    int found = 0;
    for (int i = 0; i <= repeats; ++i) {
        const double began = processor_seconds();
        found = listing(library, pointers);
        if (i > 0)
            took.push_back(processor_seconds() - began);
    }
    std::sort(took.begin(), took.end());
    std::printf("FLOOR %.9f %d\n", took[took.size() / 2], found);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 5)
        return 2;
    mallopt(M_TRIM_THRESHOLD, 1 << 30);  // the system is not to clear memory in each listing
    program = fork();
    if (program == 0) {
        execv(argv[4], argv + 4);
        _exit(127);
    }
    int status = 0;
    try {
        measure(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "floor: %s\n", error.what());
        status = 1;
    }
    kill(program, SIGKILL);
    return status;
}
