package fault

// What a GPU refuses to a session of the transcoder.
const (
	// EncoderSessionsExhausted: the driver allows no further encoder sessions. Class busy, retryable, wire
	// text "OrchestratorCapped".
	EncoderSessionsExhausted Code = "EncoderSessionsExhausted"
	// GPUOutOfMemory: the GPU has no memory left for a session. Class busy, retryable, wire text
	// "OrchestratorCapped".
	GPUOutOfMemory Code = "GPUOutOfMemory"
	// GPUNotReady: the driver answers that the system is not initialized yet, CUDA error 802.
	GPUNotReady Code = "GPUNotReady"
	// GPUUnavailable: the GPU is there and takes no further process, CUDA error 46.
	GPUUnavailable Code = "GPUUnavailable"
)

// gpuEngineRows are about GPUs at work on segments. Read-only.
var gpuEngineRows = []Row{
	{
		Code: EncoderSessionsExhausted, Class: Busy,
		Symptom: "`OpenEncodeSessionEx failed: out of memory (10)`",
		Cause: "The driver allows no further encoder sessions. GeForce GPUs have a limit for the whole " +
			"machine, all GPUs and programs together: 3, 5, 8 or 12 by the driver's age. Each rendition " +
			"takes one.",
		Remedy: "None needed: the node counts what the driver allows and takes no more sessions than that. For " +
			"more, update the driver, end other programs that encode (`nvidia-smi` lists them), or use a " +
			"GPU without the limit.",
		Wire: "OrchestratorCapped", Retryable: true,
	},
	{
		Code: GPUOutOfMemory, Class: Busy,
		Symptom: "`CUDA_ERROR_OUT_OF_MEMORY: out of memory`",
		Cause: "The GPU's memory does not suffice for another session: others fill it, or programs that are not " +
			"the node's do.",
		Remedy: "`nvidia-smi` shows which processes hold the memory. End what is not needed, keep AI models off " +
			"the GPUs " +
			"that transcode, or lower `-maxSessions`.",
		Wire: "OrchestratorCapped", Retryable: true,
	},
	{
		Code: GPUNotReady, Class: Config,
		Symptom: "`CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized` (802)",
		Cause: "The driver sees the GPU and does not let programs use it yet. On boards where GPUs are joined " +
			"by NVSwitch (HGX and DGX: A100, H100, H200 and B200 in SXM form) that is so until NVIDIA's " +
			"fabric manager runs. The GPU itself is well.",
		Remedy: "`systemctl status nvidia-fabricmanager` says whether it runs and why not. Install it in exactly " +
			"the driver's version, enable and start it: `systemctl enable --now nvidia-fabricmanager`. In a " +
			"virtual machine it runs on the host. The node begins by itself afterwards.",
		Retryable: true,
	},
	{
		Code: GPUUnavailable, Class: Config,
		Symptom: "`CUDA_ERROR_DEVICE_UNAVAILABLE: CUDA-capable device(s) is/are busy or unavailable` (46)",
		Cause: "The GPU takes no further process. Mostly its compute mode is EXCLUSIVE_PROCESS and another " +
			"program, or another process of the node, has it; or the mode is PROHIBITED.",
		Remedy: "`nvidia-smi -q -d COMPUTE` shows the mode; `nvidia-smi -i N -c DEFAULT` lets several processes " +
			"in, which the node needs. If the mode is DEFAULT already, see `dmesg | grep -i nvrm` and reset " +
			"or reboot.",
		Retryable: true,
	},
}
