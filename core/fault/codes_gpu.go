package fault

// GPUs and their driver. NoDevices and CUDALibrary are in codes.go,
// GPUToolkitMissing in codes_container.go. Remedies beside
// the causes; the table repeats both.
const (
	// DriverTooOld: the driver lacks the encoder interface of this release (12.1), and
	// a card encodes. Class config. Remedy: update it to 530.41.03 or newer.
	DriverTooOld Code = "DriverTooOld"
	// GPUDriverNotLoaded: the machine has an NVIDIA GPU and NVIDIA's driver does not
	// drive it. Class config. Cause: it is not installed, failed to load (Secure
	// Boot, a new kernel), nouveau or a virtual machine holds the card, or its module
	// nvidia-uvm is not loaded. Remedy: install or load it.
	GPUDriverNotLoaded Code = "GPUDriverNotLoaded"
	// GPUDriverMismatch: the driver in the kernel and its libraries are of different
	// versions. Class config. Cause: it was updated and the old one still runs.
	// Remedy: reboot, and restart containers.
	GPUDriverMismatch Code = "GPUDriverMismatch"
	// GPUNoPermission: this user may not open the driver's device files. Class
	// config. Remedy: permissions of /dev/nvidia*.
	GPUNoPermission Code = "GPUNoPermission"
	// GPUIndexUnknown: a GPU was named that is not there, or by a beginning that
	// fits several. Class config. Remedy: name those that tutti gpu list shows.
	GPUIndexUnknown Code = "GPUIndexUnknown"
	// GPUIsMIG: a GPU is divided into instances, which cannot transcode. Class
	// config. Remedy: switch MIG off, or name another GPU.
	GPUIsMIG Code = "GPUIsMIG"
	// GPUWatchFailed: the process that watches the driver hangs, dies or talks
	// nonsense. Class upstream, retryable. Cause: the driver. Remedy: none for a
	// single one; nvidia-smi, dmesg, reboot when it repeats.
	GPUWatchFailed Code = "GPUWatchFailed"
	// GPUThrottled is a health condition: a GPU slows itself down. Class upstream.
	// Cause: temperature or power. Remedy: cooling, power supply, power limit.
	GPUThrottled Code = "GPUThrottled"
	// GPUFault is a health condition: the driver reported a critical error (XID) of a
	// GPU, or lost it. Class upstream. Remedy: depends on the number, see the detail.
	GPUFault Code = "GPUFault"
	// GPUMemoryErrors is a health condition: memory errors of a GPU that could not be
	// corrected. Class upstream. Remedy: reset or restart; replace the card when they
	// come again.
	GPUMemoryErrors Code = "GPUMemoryErrors"
	// GPUEncoderMissing is a health condition: a GPU has an encoder that the driver does
	// not let the node use, so that the processor encodes. Class config. Cause: a
	// container without the driver's video part, or with some of the host's cards
	// only. Remedy: NVIDIA_DRIVER_CAPABILITIES, all cards, libnvidia-encode.
	GPUEncoderMissing Code = "GPUEncoderMissing"
	// GPUMemoryTaken is a health condition: programs that are not the node's use much
	// of a GPU's memory. Class config. Remedy: stop them or name another GPU.
	GPUMemoryTaken Code = "GPUMemoryTaken"
)
