package fault

// The start-up test of devices.
const (
	// DeviceTestFailed: a device does not transcode the smallest H.264 clip.
	DeviceTestFailed Code = "DeviceTestFailed"
)

// probeRows are what the start-up test of devices finds. Read-only.
var probeRows = []Row{
	{
		Code: DeviceTestFailed, Class: Upstream,
		Symptom: "the existing node ends with `required capability \"H.264\" is not supported on hardware`",
		Cause: "A device did not transcode the five small H.264 frames of the start-up test: its driver hangs " +
			"or refuses, its memory is full, or the GPU has no video units. The detail has the code of the " +
			"cause, the log all of it. The device gets no work; others do.",
		Remedy: "Follow the remedy of the cause. See whether `nvidia-smi` answers, what `dmesg | grep -i nvrm` " +
			"says, and which other processes use the GPU. The node tests the device again by itself; " +
			"`-testTranscoder=false` takes devices untested.",
		Retryable: true,
	},
}
