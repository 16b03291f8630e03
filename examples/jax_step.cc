/* A control step of a batch as a function that XLA calls, on the processor: examples/jax_step.py compiles and registers it. Buffers are read and written
 * where they lie. The batch is an address; a call forgets what the one before left in it, so that equal inputs give equal outputs. */
#include <cstdint>
#include <mutex>
#include <string>

#include "myriapod/batch.h"
#include "myriapod/status.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Numbers = ffi::Buffer<ffi::F32>;

static std::mutex one_at_a_time; /* XLA may run two calls at once, and a batch may not */

static ffi::Error step(int64_t address, int64_t steps, Numbers q, Numbers v, Numbers control, ffi::Result<Numbers> q_next, ffi::Result<Numbers> v_next) {
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    myr_batch *batch = reinterpret_cast<myr_batch *>(address);
    const int64_t n = q.dimensions()[0];
    if (myr_batch_reset(batch, nullptr) || myr_batch_set(batch, MYR_Q, nullptr, n, MYR_F32, q.typed_data()) ||
        myr_batch_set(batch, MYR_V, nullptr, n, MYR_F32, v.typed_data()) || myr_batch_set(batch, MYR_CONTROL, nullptr, n, MYR_F32, control.typed_data()) ||
        myr_batch_step(batch, steps) || myr_batch_get(batch, MYR_Q, nullptr, n, MYR_F32, q_next->typed_data()) ||
        myr_batch_get(batch, MYR_V, nullptr, n, MYR_F32, v_next->typed_data()))
        return ffi::Error::Internal(std::string("myriapod: ") + myr_message());
    return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(myriapod_step, step,
                              ffi::Ffi::Bind().Attr<int64_t>("batch").Attr<int64_t>("steps").Arg<Numbers>().Arg<Numbers>().Arg<Numbers>().Ret<Numbers>().Ret<Numbers>());
