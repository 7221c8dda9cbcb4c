package libav

import (
	"errors"
	"regexp"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// deviceMessages maps log messages of libav and the driver to codes. The first match counts,
// so specific messages come before general ones. Read-only.
var deviceMessages = []struct {
	words string
	code  fault.Code
}{
	{"OpenEncodeSessionEx failed: out of memory", fault.EncoderSessionsExhausted},
	{"OpenEncodeSessionEx failed: incompatible client key", fault.EncoderSessionsExhausted},
	{"required nvenc API version", fault.DriverTooOld},
	{"CUDA_ERROR_OUT_OF_MEMORY", fault.GPUOutOfMemory},
	{"failed: out of memory", fault.GPUOutOfMemory},
	{"CUDA_ERROR_NO_DEVICE", fault.NoDevices},
	{"CUDA_ERROR_INVALID_DEVICE", fault.NoDevices},
	{"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", fault.GPUDriverMismatch},
	{"Cannot load libnvidia-encode", ""}, // the device has no encoder for us
	{"Cannot load", fault.CUDALibrary},
	{"CUDA_ERROR_STUB_LIBRARY", fault.CUDALibrary},
	{"CUDA_ERROR_COMPAT_NOT_SUPPORTED", fault.CUDALibrary},
	{"device does not exist", fault.UnrecoverableState},
	{"CUDA_ERROR_UNKNOWN", fault.UnrecoverableState},
	{"CUDA_ERROR_DEVICE_UNAVAILABLE", fault.UnrecoverableState},
	{"CUDA_ERROR_ECC_UNCORRECTABLE", fault.UnrecoverableState},
	{"CUDA_ERROR_NVLINK_UNCORRECTABLE", fault.UnrecoverableState},
	{"CUDA_ERROR_HARDWARE_STACK_ERROR", fault.UnrecoverableState},
	{"CUDA_ERROR_ILLEGAL_ADDRESS", fault.UnrecoverableState},
	{"CUDA_ERROR_ILLEGAL_INSTRUCTION", fault.UnrecoverableState},
	{"CUDA_ERROR_MISALIGNED_ADDRESS", fault.UnrecoverableState},
	{"CUDA_ERROR_LAUNCH_FAILED", fault.UnrecoverableState},
	{"CUDA_ERROR_LAUNCH_TIMEOUT", fault.UnrecoverableState},
	{"CUDA_ERROR_CONTEXT_IS_DESTROYED", fault.UnrecoverableState},
	{"CUDA_ERROR_DEINITIALIZED", fault.UnrecoverableState},
	{"CUDA_ERROR_NOT_INITIALIZED", fault.UnrecoverableState},
	{"CUDA_ERROR_SYSTEM_NOT_READY", fault.UnrecoverableState},
}

// condition returns the code of a device's log message, "" when it is not about the device.
func condition(text string) fault.Code {
	for _, s := range deviceMessages {
		if strings.Contains(text, s.words) {
			return s.code
		}
	}
	return ""
}

// noEncoder are messages of a device without any encoder. Read-only.
var noEncoder = []string{
	"Cannot load libnvidia-encode", "unsupported device (2)", "no encode device (1)",
}

func saysNoEncoder(text string) bool {
	for _, w := range noEncoder {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// unfit are messages of an encoder that does not support a rendition, so that a retry is
// useless. Read-only.
var unfit = []string{
	"InitializeEncoder failed: invalid param", "InitializeEncoder failed: unsupported param",
	"Codec not supported", "No capable devices found",
}

// saysUnfit reports whether an encoder does not support a rendition.
func saysUnfit(text string) bool {
	for _, w := range unfit {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// openFailure is why a good device cannot be opened. For an open device the same messages
// mean that it is lost.
func openFailure(text string) fault.Code {
	switch {
	case strings.Contains(text, "CUDA_ERROR_SYSTEM_NOT_READY"):
		return fault.GPUNotReady
	case strings.Contains(text, "CUDA_ERROR_DEVICE_UNAVAILABLE"):
		return fault.GPUUnavailable
	}
	return ""
}

// blamesDecoder reports whether all messages of a lost device in a text come from decoder
// calls, and are ones that drivers also use for a stream that they cannot decode.
func blamesDecoder(text string) bool {
	blamed := false
	for line := range strings.SplitSeq(text, lineBreak) {
		if condition(line) != fault.UnrecoverableState {
			continue
		}
		vague := strings.Contains(line, "CUDA_ERROR_UNKNOWN") || strings.Contains(line, "CUDA_ERROR_LAUNCH_FAILED")
		if !vague || !strings.Contains(line, "cuvid") {
			return false
		}
		blamed = true
	}
	return blamed
}

// lineBreak separates joined lines.
const lineBreak = "; "

// address is the component prefix of a libav log line with its memory address, or a single
// address. Read-only.
var address = regexp.MustCompile(`\[[^\[\]@]*@ (0x)?[0-9a-fA-F]+\] |0x[0-9a-fA-F]{6,}`)

// oneText makes a fault's detail of a device's messages: one line without addresses.
func oneText(text string) string {
	lines := strings.FieldsFunc(address.ReplaceAllString(text, ""), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, lineBreak)
}

// deviceFault returns the fault of a device's message.
func deviceFault(code fault.Code, op, text string, err error) *fault.Fault {
	return &fault.Fault{Code: code, Op: op, Detail: text, Err: err}
}

// deviceFailed is failed for a call with captured log messages.
func deviceFailed(op string, err error) error {
	if d, ok := errors.AsType[*deviceError](err); ok {
		if code := condition(d.text); code != "" {
			return deviceFault(code, op, d.text, d.err)
		}
	}
	return failed(op, err)
}

// decodingFailed is the segment's error for a decoder's error. If a good GPU fails to decode,
// the CPU may still succeed.
func decodingFailed(err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if _, ok := errors.AsType[*deviceError](err); ok {
		return orRefusal(deviceFailed(opDecode, err), false)
	}
	return failed(opDecode, err)
}

// orRefusal makes a refusal of a fault, unless it is a fault of the device itself.
func orRefusal(err error, encoder bool) error {
	switch fault.CodeOf(err) {
	case fault.EncoderSessionsExhausted, fault.GPUOutOfMemory, fault.UnrecoverableState, fault.NoDevices,
		fault.CUDALibrary, fault.DriverTooOld, fault.GPUDriverMismatch, fault.TranscoderStopped:
		return err
	}
	return &refusal{err: err, encoder: encoder}
}
