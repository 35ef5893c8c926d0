// SPDX-License-Identifier: Apache-2.0
// A Capstone handle that gives instructions one by one.
#pragma once

#include <capstone/capstone.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>

namespace gdb_ompd::code {

class Decoder {
public:
    Decoder(cs_arch arch, cs_mode mode) {
        if (cs_open(arch, mode, &handle_) != CS_ERR_OK) {
            throw std::runtime_error("Capstone does not know this processor");
        }
        cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
        buffer_.reset(cs_malloc(handle_));
    }
    ~Decoder() {
        buffer_.reset();
        cs_close(&handle_);
    }
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;

    template <class Use>
    void each(std::span<const std::byte> code, std::uint64_t address, Use use) const {
        const auto *bytes = reinterpret_cast<const std::uint8_t *>(code.data());
        std::size_t left = code.size();
        while (cs_disasm_iter(handle_, &bytes, &left, &address, buffer_.get())) {
            use(*buffer_);
        }
    }

private:
    struct Free {
        void operator()(cs_insn *buffer) const noexcept { cs_free(buffer, 1); }
    };

    csh handle_ = 0;
    std::unique_ptr<cs_insn, Free> buffer_;
};

}  // namespace gdb_ompd::code
