//go:build !windows

package nvml

import (
	"strconv"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/tuttinode/tutti/transcoder/gpus"
)

// problem says what an error of the whole library means.
func problem(ret nvml.Return) *gpus.Problem {
	kind := gpus.Failed
	switch ret {
	case nvml.ERROR_LIBRARY_NOT_FOUND:
		kind = gpus.NoLibrary
	case nvml.ERROR_DRIVER_NOT_LOADED:
		kind = gpus.NoDriver
	case nvml.ERROR_LIB_RM_VERSION_MISMATCH:
		kind = gpus.Mismatch
	case nvml.ERROR_NO_PERMISSION:
		kind = gpus.NoPermission
	}
	return &gpus.Problem{Kind: kind, Detail: text(ret)}
}

// texts are our words for errors: the library's own may not be asked for when it
// could not be initialized. Read-only.
var texts = map[nvml.Return]string{
	nvml.ERROR_LIBRARY_NOT_FOUND:       "libnvidia-ml.so.1 is not found",
	nvml.ERROR_DRIVER_NOT_LOADED:       "the driver is not loaded",
	nvml.ERROR_LIB_RM_VERSION_MISMATCH: "the kernel's driver and the library are of different versions",
	nvml.ERROR_NO_PERMISSION:           "no permission to use the driver",
	nvml.ERROR_GPU_IS_LOST:             "the GPU is lost",
	nvml.ERROR_RESET_REQUIRED:          "the GPU needs a reset",
	nvml.ERROR_INSUFFICIENT_POWER:      "the GPU's power cables are not attached properly",
	nvml.ERROR_IRQ_ISSUE:               "the kernel has a problem with the GPU's interrupts",
	nvml.ERROR_OPERATING_SYSTEM:        "the system refuses",
	nvml.ERROR_TIMEOUT:                 "the driver took too long",
	nvml.ERROR_CORRUPTED_INFOROM:       "the GPU's configuration memory is damaged",
	nvml.ERROR_MEMORY:                  "no memory",
	nvml.ERROR_UNKNOWN:                 "an error that the driver does not name",
}

func text(ret nvml.Return) string {
	if s, ok := texts[ret]; ok {
		return s
	}
	return "NVML error " + strconv.Itoa(int(ret))
}
