package fault

// Media workers and devices. Remedies beside the causes; the table repeats both.
const (
	// WorkerCrashed: a media worker's process ended without being asked, through
	// a crash in a codec or driver, or killed from outside. Class internal,
	// retryable. Cause: damaged or hostile media, a driver fault, or someone's
	// kill. Remedy: none for a single one, the segment was tried again and the
	// worker replaced; when it repeats, look at the worker's last lines in the
	// log and at the driver (dmesg, nvidia-smi).
	WorkerCrashed Code = "WorkerCrashed"
	// WorkerUnresponsive: a media worker gave no sign of life (heartbeat) and was
	// killed and replaced. Class internal, retryable. Cause: the process was
	// stopped, or the driver holds it in the kernel, or the machine is starved
	// of processor time. Remedy: look at the load and at the driver; a process
	// that cannot be killed (state D) needs a reboot.
	WorkerUnresponsive Code = "WorkerUnresponsive"
	// WorkerOutOfMemory: a media worker reached its memory limit or an allocation
	// failed in it. Class internal, retryable. Cause: too many or too large
	// streams at once, or media made to exhaust memory. Remedy: raise the
	// worker's memory limit or lower -maxSessions.
	WorkerOutOfMemory Code = "WorkerOutOfMemory"
	// WorkerReplaced: a media worker was replaced while the segment was in it,
	// because of another segment. Class internal, retryable. Remedy: none
	// needed, the segment is tried again.
	WorkerReplaced Code = "WorkerReplaced"
	// WorkerProtocol: a media worker did or sent what no worker of this version does,
	// and was killed and replaced. Class internal, retryable. Cause: memory
	// corruption or a break-in through hostile media inside the worker. Remedy:
	// report it, with the stream that was being transcoded.
	WorkerProtocol Code = "WorkerProtocol"
	// RenditionsTooLarge: the renditions of a segment came to far more than their rates
	// give in the stated time. Class bad request, not retryable, wire text
	// "TranscoderInvalidVideo". Cause: the gateway stated a length that is far too short,
	// or media that broke into the worker tries to fill the node's memory. Remedy: none
	// for this node; state the segment's length.
	RenditionsTooLarge Code = "RenditionsTooLarge"
	// WorkerStartFailed: a media worker could not be started or did not report
	// in time. Class internal, retryable. Cause: the device or its driver cannot
	// be opened, or process and memory limits of the machine. Remedy: read the
	// reason beside it; check -gpu, nvidia-smi, ulimit.
	WorkerStartFailed Code = "WorkerStartFailed"
	// WorkerQuarantined: the device's workers died repeatedly and it gets no work
	// until its waiting time is over. Class busy, retryable. Remedy: as for the
	// fault that was logged before it; the node tries the device again by itself.
	WorkerQuarantined Code = "WorkerQuarantined"
	// WorkerClosed: the media worker was asked for work after it was closed.
	// Class busy, retryable. Cause: the node is stopping. Remedy: none needed.
	WorkerClosed Code = "WorkerClosed"
	// SandboxOpen is a health condition: walls of a media worker are missing, and nothing
	// else stands before what the detail names. Class config, not retryable. Remedy: as
	// for SandboxDegraded, or transcode on another machine.
	SandboxOpen Code = "SandboxOpen"
	// SandboxDegraded is a health condition, not an error: a media worker runs
	// with fewer walls around it than it could have. Class config, not
	// retryable. Cause: the kernel, container or permissions withhold a layer,
	// which the detail names (user namespaces, Landlock, seccomp). Remedy: use a
	// kernel ≥ 6.12 with Landlock, allow unprivileged user namespaces, and do not
	// run the container with seccomp filters that forbid these calls.
	SandboxDegraded Code = "SandboxDegraded"
	// TranscodeTimeout: a segment took longer than four times its duration (at
	// least eight seconds); its worker was replaced. Class internal, retryable.
	// Cause: a hung driver call, an endless loop in a codec, or far too many
	// streams. Remedy: lower -maxSessions or use -maxSessions auto; look at the
	// driver when the machine is not loaded.
	TranscodeTimeout Code = "TranscodeTimeout"
	// SegmentRefused: the segment or its stream ended or blocked a media worker that
	// had nothing else to do, or the stream takes longer than its time on every
	// transcoder. Class bad request, not retryable, wire text "TranscoderInvalidVideo",
	// at which gateways try no other node. Cause: the media triggers a fault in a
	// codec or driver, or asks for too much. Remedy: report the stream; update the
	// driver.
	SegmentRefused Code = "SegmentRefused"
	// SenderDeferred: several streams of one gateway ended or blocked media workers
	// within minutes; its new streams are not begun for a while. Class busy,
	// retryable, wire text "TranscoderBusy". Remedy: none needed, established streams
	// go on.
	SenderDeferred Code = "SenderDeferred"
	// TranscoderBehind: a device has more segments than it can do in time, and those of
	// streams that were there before go first. Class Busy, retryable, wire text
	// "TranscoderBusy". Remedy: lower -maxSessions, or use auto.
	TranscoderBehind Code = "TranscoderBehind"
	// TranscoderBusy: four segments of the session wait already, or the inputs in
	// flight fill the memory set aside for them. Class busy, retryable, wire text
	// "TranscoderBusy". Remedy: lower -maxSessions or add devices.
	TranscoderBusy Code = "TranscoderBusy"
	// TranscoderStopped: the session or the engine ended while the segment waited
	// or was in work. Class busy, retryable, wire text "TranscoderStopped".
	// Remedy: none needed, the segment is tried elsewhere.
	TranscoderStopped Code = "TranscoderStopped"
)
