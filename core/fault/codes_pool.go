package fault

// Placing sessions on the node's devices. Remedies beside the causes; the table
// repeats both.
const (
	// NoTranscoders: a new session found no device that is ready. Wire text
	// "OrchestratorCapped", at which gateways go elsewhere and come back. Cause: no
	// transcoder is attached, or all are quarantined, suspended or draining. Remedy:
	// connect one or mend those there are.
	NoTranscoders Code = "NoTranscoders"
	// NoCapableTranscoder: devices are ready, but none can do what the session needs.
	// Wire text "no transcoders can provide requested capabilities". Remedy: attach a
	// transcoder that has the capability or release that the detail names.
	NoCapableTranscoder Code = "NoCapableTranscoder"
	// DeviceNameTaken: a device was attached under a name that another one has.
	// Remedy: give transcoders different names.
	DeviceNameTaken Code = "DeviceNameTaken"
	// DeviceUnknown: a device was named that is not attached. Remedy: look up the
	// name in the list of devices.
	DeviceUnknown Code = "DeviceUnknown"
	// DeviceDrained: an operator, or the device itself, keeps new sessions away from
	// it. Remedy: none needed; resume it to use it again.
	DeviceDrained Code = "DeviceDrained"
)
