// Package cuda calls an NVIDIA driver directly, as a program alongside the node would:
// it counts the devices that CUDA shows, and takes and returns a GPU's memory. The
// driver is found when it is needed, so that programs with this package start on
// machines without one.
//
// It does no work on a GPU and changes no setting of it. The GPU kit's tests and the
// programs that they start use it.
package cuda

/*
#cgo LDFLAGS: -ldl
#include "driver.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// CUDA's numbers of errors that callers tell apart.
const (
	OutOfMemory   = 2
	NoDevice      = 100
	InvalidDevice = 101
)

// Error is what the driver answered to a call.
type Error struct {
	Call   string
	Number int
	// Name is the driver's own, "" where it has none.
	Name string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: CUDA error %d (%s)", e.Call, e.Number, e.Name)
}

// Is reports whether an error is the driver's with this number.
func Is(err error, number int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Number == number
}

// Device is a CUDA context on a GPU. Any goroutine may call it.
type Device struct {
	// driver is apart: C may get no memory that holds Go pointers.
	driver *C.struct_tutti_cuda
	uuid   string

	mu      sync.Mutex // covers context, which is nil once closed
	context unsafe.Pointer
}

// Count is how many devices CUDA shows to this process; none is no error.
func Count() (int, error) {
	driver, err := load()
	if err != nil {
		return 0, err
	}
	var n C.int
	err = failure(driver, C.tutti_cuda_count(driver, &n))
	if Is(err, NoDevice) {
		return 0, nil
	}
	return int(n), err
}

// UUIDs name the devices that CUDA shows to this process. It makes no context.
func UUIDs() ([]string, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	driver, err := load()
	if err != nil {
		return nil, err
	}
	uuids := make([]string, n)
	for i := range uuids {
		var u [16]C.uint8_t
		if err := failure(driver, C.tutti_cuda_uuid(driver, C.int(i), &u[0])); err != nil {
			return nil, err
		}
		uuids[i] = written(u)
	}
	return uuids, nil
}

// written is a UUID as nvidia-smi writes it.
func written(uuid [16]C.uint8_t) string {
	var u [16]byte
	for i, b := range uuid {
		u[i] = byte(b)
	}
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// Open makes a context on a device, by its ordinal among those that CUDA shows.
func Open(ordinal int) (*Device, error) {
	driver, err := load()
	if err != nil {
		return nil, err
	}
	d := &Device{driver: driver}
	var context unsafe.Pointer
	var uuid [16]C.uint8_t
	if err := failure(driver, C.tutti_cuda_open(driver, C.int(ordinal), &context, &uuid[0])); err != nil {
		return nil, err
	}
	d.uuid, d.context = written(uuid), context
	return d, nil
}

// UUID names the device as nvidia-smi does.
func (d *Device) UUID() string { return d.uuid }

// Free is the memory of the GPU that nothing uses, and all of it, in bytes.
func (d *Device) Free() (free, total int64, err error) {
	var f, t C.size_t
	err = d.call(func(context unsafe.Pointer) C.struct_tutti_result {
		return C.tutti_cuda_memory(d.driver, context, &f, &t)
	})
	return int64(f), int64(t), err
}

// Take takes so many bytes of the GPU's memory until release is called.
func (d *Device) Take(bytes int64) (release func(), err error) {
	var p C.tutti_pointer
	err = d.call(func(context unsafe.Pointer) C.struct_tutti_result {
		return C.tutti_cuda_take(d.driver, context, C.size_t(bytes), &p)
	})
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() {
		// After Close there is nothing left to give back.
		_ = d.call(func(context unsafe.Pointer) C.struct_tutti_result {
			return C.tutti_cuda_return(d.driver, context, p)
		})
	}), nil
}

// Close destroys the context, and with it gives back all that was taken.
func (d *Device) Close() {
	_ = d.call(func(context unsafe.Pointer) C.struct_tutti_result {
		d.context = nil
		return C.tutti_cuda_close(d.driver, context)
	})
}

// errClosed is what a closed device answers.
var errClosed = errors.New("the device is closed")

func (d *Device) call(f func(context unsafe.Pointer) C.struct_tutti_result) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.context == nil {
		return errClosed
	}
	return failure(d.driver, f(d.context))
}

func load() (*C.struct_tutti_cuda, error) {
	driver := new(C.struct_tutti_cuda)
	if reason := C.tutti_cuda_load(driver); reason != nil {
		return nil, errors.New(C.GoString(reason))
	}
	return driver, nil
}

// failure is the error of a call, nil for success.
func failure(driver *C.struct_tutti_cuda, r C.struct_tutti_result) error {
	if r.error == 0 {
		return nil
	}
	return &Error{Call: C.GoString(r.call), Number: int(r.error), Name: C.GoString(C.tutti_cuda_name(driver, r.error))}
}
