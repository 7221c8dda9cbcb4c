package fault

// GPUs and their driver. NoDevices and CUDALibrary are in codes_start.go,
// GPUToolkitMissing is in codes_container.go.
const (
	// DriverTooOld: the driver lacks the encoder interface of this release (12.1), and a GPU encodes.
	DriverTooOld Code = "DriverTooOld"
	// GPUDriverNotLoaded: the machine has an NVIDIA GPU and NVIDIA's driver does not drive it.
	GPUDriverNotLoaded Code = "GPUDriverNotLoaded"
	// GPUDriverMismatch: the driver in the kernel and its libraries are of different versions.
	GPUDriverMismatch Code = "GPUDriverMismatch"
	// GPUNoPermission: this user may not open the driver's device files.
	GPUNoPermission Code = "GPUNoPermission"
	// GPUIndexUnknown: a GPU was named that is not there, or by a beginning that fits several.
	GPUIndexUnknown Code = "GPUIndexUnknown"
	// GPUIsMIG: a GPU is divided into instances, which cannot transcode.
	GPUIsMIG Code = "GPUIsMIG"
	// GPUWatchFailed: the process that watches the driver hangs, dies or talks nonsense.
	GPUWatchFailed Code = "GPUWatchFailed"
	// GPUThrottled is a health condition: a GPU slows itself down.
	GPUThrottled Code = "GPUThrottled"
	// GPUFault is a health condition: the driver reported a critical error (XID) of a GPU, or lost it.
	GPUFault Code = "GPUFault"
	// GPUMemoryErrors is a health condition: memory errors of a GPU that could not be corrected.
	GPUMemoryErrors Code = "GPUMemoryErrors"
	// GPUEncoderMissing is a health condition: a GPU has an encoder that the driver does not let the node
	// use, so that the CPU encodes.
	GPUEncoderMissing Code = "GPUEncoderMissing"
	// GPUMemoryTaken is a health condition: programs that are not the node's use much of a GPU's memory.
	GPUMemoryTaken Code = "GPUMemoryTaken"
)

// gpuRows are about GPUs that were asked for: why they cannot be used, and their
// lasting problems. Read-only.
var gpuRows = []Row{
	{
		Code: NoDevices, Class: Config,
		Symptom: "`-gpu all` prints nothing or reports no devices; the existing node says `no devices found with " +
			"vendor name 'Nvidia'`",
		Cause: "The node sees no NVIDIA GPU: there is none, the driver is absent or older than the release " +
			"needs, or in a container the GPU toolkit is missing.",
		Remedy: "`tutti gpu list` shows what the node sees. Install or update the driver (530.41.03 or newer); " +
			"under Docker install the GPU container toolkit, restart Docker and start with `--gpus all`. " +
			"Leave `-gpu` out to transcode on the CPU. The node looks again every ten seconds.", Retryable: true,
	},
	{
		Code: CUDALibrary, Class: Config,
		Symptom: "a CUDA library error at start or at the first transcode, naming `libcuda`, `libnvcuvid`, " +
			"`libnvidia-encode` or `libnvidia-ml`",
		Cause: "The driver's libraries cannot be opened or are of another version than the release was built for.",
		Remedy: "Install all of the driver's libraries, of the version that the release notes name, or use the " +
			"official image; under Docker set NVIDIA_DRIVER_CAPABILITIES=all.", Retryable: true,
	},
	{
		Code: DriverTooOld, Class: Config,
		Symptom: "`-gpu all` reports no devices although nvidia-smi shows them; `Required: 12.1` and `minimum " +
			"required Nvidia driver` in messages of FFmpeg",
		Cause: "The driver is older than 530.41.03 and lacks the interface to encoders that this release uses. " +
			"GPUs without an encoder, such as A100 and H100, do not need it and are used.",
		Remedy: "Update the NVIDIA driver to 530.41.03 or newer and reboot. Leave `-gpu` out to transcode on the " +
			"CPU meanwhile.", Retryable: true,
	},
	{
		Code: GPUDriverNotLoaded, Class: Config,
		Symptom: "`NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver`",
		Cause: "The machine has an NVIDIA GPU, but NVIDIA's driver does not drive it: it is not installed, it " +
			"was not built for this kernel, Secure Boot keeps it out, or nouveau or a virtual machine " +
			"(vfio-pci) holds the GPU. Or its module nvidia-uvm, without which CUDA does not start, was not " +
			"loaded since the machine started; the detail then names the module.",
		Remedy: "`lspci -k` shows which driver holds the GPU, `dmesg | grep -i nvidia` why the driver did not load. " +
			"Install the driver (530.41.03 or newer), keep nouveau away, and reboot; the node begins by " +
			"itself when the driver is there. Where nvidia-uvm is missing, run `modprobe nvidia-uvm` and " +
			"`nvidia-modprobe -u -c=0` as root, at each start of the machine (nvidia-persistenced does so, " +
			"too).", Retryable: true,
	},
	{
		Code: GPUDriverMismatch, Class: Config,
		Symptom: "`Failed to initialize NVML: Driver/library version mismatch`",
		Cause: "The driver was updated while it was in use: the kernel still runs the old one, the libraries " +
			"are new.",
		Remedy: "Reboot. Where that cannot be, stop everything that uses the GPUs and reload the kernel modules " +
			"(`rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia`, `modprobe nvidia`). Restart containers " +
			"afterwards.", Retryable: true,
	},
	{
		Code: GPUNoPermission, Class: Config,
		Symptom: "`Insufficient Permissions`",
		Cause:   "The node's user may not open the driver's device files.",
		Remedy: "`ls -l /dev/nvidia*` shows the permissions; give the node's user that group (often `video` or " +
			"`render`) " +
			"and restart the node. A systemd unit must not set PrivateDevices.", Retryable: true,
	},
	{
		Code: GPUIndexUnknown, Class: Config,
		Cause: "`-gpu` names a GPU that is not there, or the beginning of a UUID that fits several. The detail " +
			"names those that are there. Indices count in the order of the PCI bus, as nvidia-smi shows " +
			"them; a GPU that failed can shift them.",
		Remedy: "Name GPUs that `tutti gpu list` shows, better by UUID than by index, or `-gpu all`. The GPUs " +
			"that were found are used meanwhile.", Retryable: true,
	},
	{
		Code: GPUIsMIG, Class: Config,
		Cause: "The GPU is divided into instances (MIG), and these have no access to the whole GPU's video units.",
		Remedy: "Switch MIG off with `nvidia-smi -i N -mig 0` when nothing uses the GPU, and restart the node; " +
			"or name other GPUs.", Retryable: true,
	},
	{
		Code: GPUWatchFailed, Class: Upstream,
		Cause: "The process that asks the driver for the GPUs' state gives no answer or died, and was started " +
			"again. Segments go on; memory, temperature and load of the GPUs are unknown meanwhile.",
		Remedy: "None needed if it clears by itself. Else see whether `nvidia-smi` answers and what `dmesg | " +
			"grep -i nvrm` says; a driver that hangs needs a reboot.", Retryable: true,
	},
	{
		Code: GPUThrottled, Class: Upstream,
		Cause: "The GPU runs slower than it could because it is too hot or its power supply does not suffice. " +
			"Fewer sessions keep up with real time.",
		Remedy: "Look at fans, dust and air flow, and at the power cables; `nvidia-smi -q -d " +
			"PERFORMANCE,TEMPERATURE` shows more. A lower power limit (`nvidia-smi -pl`) often costs " +
			"little.",
		Retryable: true,
	},
	{
		Code: GPUFault, Class: Upstream,
		Symptom: "`NVRM: Xid` in the kernel's log; `GPU is lost`",
		Cause: "The driver reported a critical error of the GPU. The detail has its number (XID) and what that " +
			"mostly means.",
		Remedy: "`dmesg | grep -i xid` shows the whole message. XID 13, 31 and 43 blame a program: update driver " +
			"and node. 48, 63, 64, 92, 94 and 95 are memory: reset or reboot, replace the GPU if they come " +
			"again. 79 and 119: power off and on, check power supply, risers and seating. The condition " +
			"clears when the node is restarted, or a day after the last error.", Retryable: true,
	},
	{
		Code: GPUMemoryErrors, Class: Upstream,
		Cause: "The GPU's memory had errors that could not be corrected. Work that ran at that time may have " +
			"failed or been wrong.",
		Remedy: "Restart what uses the GPU and reset it (`nvidia-smi -r`) or reboot; replace it when the count " +
			"grows again.", Retryable: true,
	},
	{
		Code: GPUEncoderMissing, Class: Config,
		Symptom: "`OpenEncodeSessionEx failed: unsupported device (2)`, `Cannot load libnvidia-encode.so.1`; many " +
			"CPU cores busy although the GPU has an encoder",
		Cause: "The GPU has a hardware encoder, but the driver refuses it to the node, so the CPU " +
			"encodes and the GPU carries far fewer streams. In a container: it was started without the " +
			"driver's `video` part, or was given only some of the machine's GPUs, which some drivers do not " +
			"support. Outside of one: the driver was installed without libnvidia-encode.",
		Remedy: "Start the container with `NVIDIA_DRIVER_CAPABILITIES=video,compute,utility` (or `all`), and " +
			"give it all GPUs (`--gpus all`) while `-gpu` names those to use. Outside of a container " +
			"install the driver's package with libnvidia-encode (Debian and Ubuntu: libnvidia-encode1 or " +
			"libnvidia-encode-NNN, of the driver's version). Then restart the node.", Retryable: true,
	},
	{
		Code: GPUMemoryTaken, Class: Config,
		Cause: "Programs that are not the node's use much of the GPU's memory, which sessions and models then " +
			"lack. The detail names the largest.",
		Remedy: "Stop them, or give the node another GPU with `-gpu`. If they are meant to be there, ignore " +
			"this: a session that the GPU refuses for want of memory is done on another GPU or refused, and " +
			"the GPU gets sessions again when its memory is free (see docs/gpu.md).", Retryable: true,
	},
}

// GPUProblems returns the codes of what keeps a driver's GPUs from being used.
func GPUProblems() []Code {
	return []Code{NoDevices, CUDALibrary, DriverTooOld, GPUDriverNotLoaded, GPUDriverMismatch, GPUToolkitMissing,
		GPUNoPermission, GPUIndexUnknown, GPUFault, GPUWatchFailed}
}
