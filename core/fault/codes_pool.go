package fault

// Codes of placing sessions on the node's devices: poolRows has the cause and the remedy of each.
const (
	// NoTranscoders: a new session found no device that is ready. Wire text "OrchestratorCapped", at which
	// gateways go elsewhere and come back.
	NoTranscoders Code = "NoTranscoders"
	// NoCapableTranscoder: devices are ready, but none can do what the session needs. Wire text "no
	// transcoders can provide requested capabilities".
	NoCapableTranscoder Code = "NoCapableTranscoder"
	// DeviceNameTaken: a device was attached under a name that another one has.
	DeviceNameTaken Code = "DeviceNameTaken"
	// DeviceUnknown: a device was named that is not attached.
	DeviceUnknown Code = "DeviceUnknown"
	// DeviceDrained: an operator, or the device itself, keeps new sessions away from it.
	DeviceDrained Code = "DeviceDrained"
	// DeviceUnreliable: a device reports good segments as bad.
	DeviceUnreliable Code = "DeviceUnreliable"
)

// poolRows are the conditions of placing sessions on devices. Read-only.
var poolRows = []Row{
	{
		Code: NoTranscoders, Class: Busy,
		Symptom: "the existing node says `no transcoders available`",
		Cause: "No device is ready for a new session: no transcoder has connected and there is none on this " +
			"machine, or all of them are quarantined, suspended or draining, as the detail says.",
		Remedy: "Start with `-transcoder`, or connect a remote transcoder with `-orchAddr` and the same " +
			"`-orchSecret`; where devices are attached, look at their states with tutti_cli and at the " +
			"faults in the log. The node offers again within a second of the first device that is ready.",
		Wire: "OrchestratorCapped", Retryable: true,
	},
	{
		Code: NoCapableTranscoder, Class: Busy,
		Cause: "Devices are ready, but none of them has the capabilities, or the release, that the session " +
			"needs; the detail names what is missing.",
		Remedy: "None needed, the gateway goes elsewhere; to serve such sessions attach a transcoder that can do " +
			"it, or update the ones there are.",
		Wire: "no transcoders can provide requested capabilities", Retryable: true,
	},
	{
		Code: DeviceNameTaken, Class: Config,
		Cause:  "Two devices or transcoders would have the same name in this node.",
		Remedy: "Give each transcoder a name of its own.",
	},
	{
		Code: DeviceUnknown, Class: NotFound,
		Cause:  "No device of that name is attached: it is misspelled, or its transcoder has gone.",
		Remedy: "`tutti_cli workers` lists the names.",
	},
	{
		Code: DeviceDrained, Class: Busy,
		Cause: "The device was asked to take no new sessions, by the operator or by its own node before a stop; " +
			"its sessions move to others.",
		Remedy: "None needed. Resume the device to use it again.",
		Wire:   "OrchestratorCapped", Retryable: true,
	},
	{
		Code: DeviceUnreliable, Class: Upstream,
		Cause: "A device or remote transcoder reported segments as bad that other devices transcoded, or the node's " +
			"own test clip: it is broken, or another party controls it. Its reports confirm no other's for ten " +
			"minutes, and it gets no sessions while it calls the test clip bad.",
		Remedy: "Look at the transcoder's log and machine. If it may be controlled by another party, stop it and " +
			"change `-orchSecret` on this node and on the other transcoders.",
	},
}
