package fault

// Session and admission.
const (
	OrchestratorCapped       Code = "OrchestratorCapped"
	OrchestratorBusy         Code = "OrchestratorBusy"
	ErrTranscoderUnavailable Code = "ErrTranscoderUnavailable"
	Draining                 Code = "Draining"
	// SessionCleanup: a session saw no segment for its idle time and was ended.
	SessionCleanup Code = "SessionCleanup"
)

// sessionRows are the conditions of admitting and ending sessions. Read-only.
var sessionRows = []Row{
	{
		Code: OrchestratorCapped, Class: Busy,
		Symptom: "gateways see `OrchestratorCapped`; new jobs are refused",
		Cause: "The session limit is reached. The detail names the bound: `-maxSessions`; the encoder sessions " +
			"that a driver permits (on consumer GPUs); GPU memory; the sessions that a device takes; or " +
			"pace: with one more session the streams would not keep up with real time.",
		Remedy: "By the bound in the detail. `-maxSessions`: raise it (flag or tutti_cli) as far as the devices " +
			"allow; `tutti_bench -walk` finds the limit. GPU memory: `nvidia-smi` shows the programs that " +
			"hold it; end those that are not needed, or keep fewer AI models loaded on the GPU. Encoder " +
			"sessions, sessions of a device, and pace are limits of the hardware, at which `-maxSessions` " +
			"changes nothing: add devices.",
		Wire: "OrchestratorCapped", Retryable: true,
	},
	{
		Code: OrchestratorBusy, Class: Busy,
		Cause: "Four segments of one session already wait: the session's segments arrive faster than they are " +
			"transcoded.",
		Remedy: "Lower `-maxSessions` or add devices so that each stream is transcoded in real time.",
		Wire:   "OrchestratorBusy", Retryable: true,
	},
	{
		Code: ErrTranscoderUnavailable, Class: Busy,
		Cause: "No transcoder is ready to take the segment: none has connected, all are quarantined, or the " +
			"node is only an orchestrator.",
		Remedy: "Start with `-transcoder`, or connect a remote transcoder with `-orchAddr` and the same " +
			"`-orchSecret`; look for device faults in the log.",
		Wire: "ErrTranscoderUnavailable", Retryable: true,
	},
	{
		Code: Draining, Class: Busy,
		Cause:  "The node was asked to stop and takes no new sessions while the running ones finish.",
		Remedy: "None needed: the gateway goes to another orchestrator. A second signal ends the wait.",
		Wire:   "OrchestratorCapped", Retryable: true,
	},
	{
		Code: SessionCleanup, Class: NotFound,
		Symptom: "`Segment loop timed out; closing`, `Transcode loop timed out`: no new segments",
		Cause:   "No segment came for 70 s: the stream ended or the gateway went away.",
		Remedy: "None needed, this is normal at the end of a stream. If it repeats during an active stream, " +
			"check `-serviceAddr` and whether port 8935 is reachable.", Retryable: true,
	},
}
