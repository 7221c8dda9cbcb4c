package fault

// Codes of media workers and devices: workerRows has the cause and the remedy of each.
const (
	// WorkerCrashed: a media worker's process ended without being asked, through a crash in a codec or
	// driver, or killed from outside.
	WorkerCrashed Code = "WorkerCrashed"
	// WorkerUnresponsive: a media worker gave no sign of life (heartbeat) and was killed and replaced.
	WorkerUnresponsive Code = "WorkerUnresponsive"
	// WorkerOutOfMemory: a media worker reached its memory limit or an allocation failed in it.
	WorkerOutOfMemory Code = "WorkerOutOfMemory"
	// WorkerReplaced: a media worker was replaced while the segment was in it, because of another segment.
	WorkerReplaced Code = "WorkerReplaced"
	// WorkerProtocol: a media worker did or sent what no worker of this version does, and was killed and
	// replaced.
	WorkerProtocol Code = "WorkerProtocol"
	// RenditionsTooLarge: the renditions of a segment came to far more than their rates give in the stated
	// time. Class bad request, not retryable, wire text "TranscoderInvalidVideo".
	RenditionsTooLarge Code = "RenditionsTooLarge"
	// WorkerStartFailed: a media worker could not be started or did not report in time.
	WorkerStartFailed Code = "WorkerStartFailed"
	// WorkerQuarantined: the device's workers died repeatedly and it gets no work until its waiting time
	// is over.
	WorkerQuarantined Code = "WorkerQuarantined"
	// WorkerClosed: the media worker was asked for work after it was closed.
	WorkerClosed Code = "WorkerClosed"
	// SandboxOpen is a health condition: restrictions of a media worker's sandbox are missing, and nothing
	// else protects what the detail names.
	SandboxOpen Code = "SandboxOpen"
	// SandboxDegraded is a health condition, not an error: restrictions of a media worker's sandbox are
	// missing, and others protect the same resources.
	SandboxDegraded Code = "SandboxDegraded"
	// TranscodeTimeout: a segment took longer than four times its duration (at least eight seconds); its
	// worker was replaced.
	TranscodeTimeout Code = "TranscodeTimeout"
	// SegmentRefused: the segment or its stream ended or blocked a media worker that had nothing else to
	// do. Class bad request, not retryable, wire text "TranscoderInvalidVideo", at which gateways try no
	// other node.
	SegmentRefused Code = "SegmentRefused"
	// SenderDeferred: several streams of one gateway ended or blocked media workers within minutes; its
	// new streams are not begun for a while. Class busy, retryable, wire text "TranscoderBusy".
	SenderDeferred Code = "SenderDeferred"
	// TranscoderBehind: a device has more segments than it can do in time, and those of streams that were
	// there before go first; or a stream takes longer than its time on every transcoder. Class Busy,
	// retryable, wire text "TranscoderBusy".
	TranscoderBehind Code = "TranscoderBehind"
	// TranscoderBusy: four segments of the session wait already, the inputs in flight fill the memory
	// set aside for them, or no media worker was ready within the segment's time. Class busy, retryable,
	// wire text "TranscoderBusy".
	TranscoderBusy Code = "TranscoderBusy"
	// TranscoderStopped: the session or the engine ended while the segment waited or was in work. Class
	// busy, retryable, wire text "TranscoderStopped".
	TranscoderStopped Code = "TranscoderStopped"
)

// workerRows are the conditions of media workers and devices. Read-only.
var workerRows = []Row{
	{
		Code: WorkerCrashed, Class: Internal,
		Cause: "A media worker's process ended without being asked: damaged or hostile media, a driver fault, " +
			"or a kill from outside.",
		Remedy: "None for a single one: the segment was tried again and the worker replaced. When it repeats, " +
			"look at the worker's last lines in the log and at the driver (`dmesg`, `nvidia-smi`).",
		Wire: "TranscoderStopped", Retryable: true,
	},
	{
		Code: WorkerUnresponsive, Class: Internal,
		Cause: "A media worker gave no sign of life and was killed and replaced: the process was stopped, the " +
			"driver holds it in the kernel, or the machine is starved of CPU time.",
		Remedy: "Look at the load and at the driver; a process that cannot be killed (state D) needs a reboot.",
		Wire:   "TranscoderStopped", Retryable: true,
	},
	{
		Code: WorkerOutOfMemory, Class: Internal,
		Cause: "A media worker reached its limit of memory or of threads: too many or too large streams at " +
			"once, or media made to exhaust either.",
		Remedy: "Raise the worker's memory limit, or the limit of processes of the container or service, or " +
			"lower `-maxSessions`.",
		Wire: "TranscoderStopped", Retryable: true,
	},
	{
		Code: WorkerReplaced, Class: Internal,
		Cause:  "A media worker was replaced while the segment was in it, because of another segment.",
		Remedy: "None needed, the segment is tried again.",
		Wire:   "TranscoderStopped", Retryable: true,
	},
	{
		Code: WorkerProtocol, Class: Internal,
		Cause: "A media worker did or sent what no worker of this version does, and was killed and replaced: " +
			"memory corruption, or a break-in through hostile media inside the worker.",
		Remedy: "Report it, with the stream that was being transcoded.",
		Wire:   "TranscoderStopped", Retryable: true,
	},
	{
		Code: RenditionsTooLarge, Class: BadRequest,
		Cause: "The renditions of a segment came to more than twice what their rates give in twice the time that was " +
			"stated or that the source states of itself, with twice the source's size for each: both are " +
			"far too short, or media that broke " +
			"into the worker tries to fill the node's memory. They were not kept.",
		Remedy: "None for this node. At the gateway, state the segment's length (`Content-Duration`, in ms). If " +
			"it comes for many streams of one device, restart the node and report it.",
		Wire: "TranscoderInvalidVideo",
	},
	{
		Code: WorkerStartFailed, Class: Internal,
		Cause: "A media worker could not be started or did not report in time: the device or its driver cannot " +
			"be opened, or process and memory limits of the machine hold.",
		Remedy: "Read the reason shown with it; check `-gpu`, `nvidia-smi` and `ulimit -a`.",
		Wire:   "ErrTranscoderUnavailable", Retryable: true,
	},
	{
		Code: WorkerQuarantined, Class: Busy,
		Cause:  "The device's workers died repeatedly, and it gets no work until its waiting time is over.",
		Remedy: "Follow the remedy of the fault logged before it; the node tries the device again by itself.",
		Wire:   "ErrTranscoderUnavailable", Retryable: true,
	},
	{
		Code: WorkerClosed, Class: Busy,
		Cause:  "A media worker was asked for work after it was closed: the node is stopping.",
		Remedy: "None needed, the gateway goes elsewhere.",
		Wire:   "TranscoderStopped", Retryable: true,
	},
	{
		Code: SandboxOpen, Class: Config,
		Cause: "Restrictions of a media worker's sandbox are missing because the kernel, the container or " +
			"permissions do not allow them, and no other restriction protects what the detail names: media " +
			"that takes over a codec could get at it.",
		Remedy: "Do not transcode for unknown parties here before the sandbox is complete: run a kernel of 6.12 or " +
			"later with " +
			"seccomp and Landlock (`grep -i landlock /sys/kernel/security/lsm`), allow user namespaces " +
			"(`sysctl kernel.unprivileged_userns_clone=1`, `sysctl " +
			"kernel.apparmor_restrict_unprivileged_userns=0`), and do not forbid them to the container " +
			"(`--security-opt seccomp=unconfined`). Or run the transcoder on a machine of its own with " +
			"`-transcoder -orchAddr`, which has no keys.",
	},
	{
		Code: SandboxDegraded, Class: Config,
		Cause: "A media worker's sandbox lacks a restriction that the kernel, the container or permissions do " +
			"not allow. The detail names it (namespaces, own root, another user, Landlock or rights that " +
			"its version lacks, seccomp). Other restrictions protect the same resources.",
		Remedy: "Use a kernel of 6.12 or later with Landlock, allow unprivileged user namespaces (`sysctl " +
			"kernel.unprivileged_userns_clone=1`, `sysctl kernel.apparmor_restrict_unprivileged_userns=0`), " +
			"and do not run the container with seccomp filters that forbid these calls.",
	},
	{
		Code: TranscodeTimeout, Class: Internal,
		Cause: "A segment took longer than four times its duration (at least eight seconds), and its worker was " +
			"replaced: a hung driver call, an endless loop in a codec, or far too many streams.",
		Remedy: "Lower `-maxSessions` or use `-maxSessions auto`; look at the driver when the machine is not loaded.",
		Wire:   "Remote transcoder took too long", Retryable: true,
	},
	{
		Code: SegmentRefused, Class: BadRequest,
		Cause: "The segment, or others of its stream, ended or blocked a media worker that had nothing else " +
			"to do. The segment is not tried again; the stream is refused for half a minute at first and longer " +
			"when it repeats, in whatever session it comes.",
		Remedy: "None for this node: its device works, and other streams go on. If the stream is an honest one, " +
			"look at the worker's last lines in the log, update the driver, raise `-workerMemory`, and " +
			"report the stream.",
		Wire: "TranscoderInvalidVideo",
	},
	{
		Code: SenderDeferred, Class: Busy,
		Cause: "Several streams of one gateway ended or blocked media workers within minutes. Its new streams " +
			"are not begun for a while; those that have been done well go on.",
		Remedy: "None needed, one incident is forgotten every minute. The log names the streams, on lines with " +
			"`ends or blocks media workers`.",
		Wire: "TranscoderBusy", Retryable: true,
	},
	{
		Code: TranscoderStopped, Class: Busy,
		Cause:  "The session or the device's engine ended while the segment waited or was in work.",
		Remedy: "None needed, the segment is tried elsewhere.",
		Wire:   "TranscoderStopped", Retryable: true,
	},
	{
		Code: TranscoderBehind, Class: Busy,
		Cause: "A device has more segments than it can do in their time. Those of streams that keep the pace of " +
			"their media are done first, the ones admitted earlier before later ones; this one would have " +
			"come too late and was refused at once, or was not done in its time alongside the others. A stream " +
			"whose segments ran late before waits half a minute, and up to two minutes when it repeats. Or several " +
			"of the stream's segments took longer than their time on every transcoder.",
		Remedy: "Use `-maxSessions auto`, or lower `-maxSessions` to what `tutti_bench -walk` finds; look for " +
			"other programs that use the CPU or the GPU.",
		Wire: "TranscoderBusy", Retryable: true,
	},
	{
		Code: TranscoderBusy, Class: Busy,
		Cause: "Four segments of the session wait already, inputs in flight or renditions that are still to be sent " +
			"fill the memory set aside for them, or no media worker was ready within the segment's time.",
		Remedy: "Lower `-maxSessions` or add devices until each stream is transcoded in real time; where it is " +
			"the renditions, raise `-workerMemory`, of which they have a quarter, half of that for one " +
			"gateway.",
		Wire: "TranscoderBusy", Retryable: true,
	},
}
