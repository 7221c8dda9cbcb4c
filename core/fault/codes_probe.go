package fault

// The start-up test of devices.
const (
	// DeviceTestFailed: a device does not transcode the smallest H.264 clip.
	DeviceTestFailed Code = "DeviceTestFailed"
)
