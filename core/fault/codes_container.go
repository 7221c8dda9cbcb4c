package fault

// The Docker Engine itself.
const (
	// DockerMissing: nothing answers where the Docker Engine should be.
	DockerMissing Code = "DockerMissing"
	// DockerForbidden: the Docker Engine is there and this user may not use it.
	DockerForbidden Code = "DockerForbidden"
	// DockerIncompatible: the Docker Engine is too old, or is not of Linux.
	DockerIncompatible Code = "DockerIncompatible"
	// DockerFailed: the Docker Engine refused or failed in a way without a name here.
	DockerFailed Code = "DockerFailed"
	// DiskFull: the disk of images, containers or models is full.
	DiskFull Code = "DiskFull"
)

// GPUs of containers.
const (
	// GPUToolkitMissing: the Docker Engine cannot hand out GPUs, or gave the node's own
	// container none.
	GPUToolkitMissing Code = "GPUToolkitMissing"
	// GPUNotFound: a container asks for a GPU that the machine does not have.
	GPUNotFound Code = "GPUNotFound"
	// GPUDriverTooOld: the image needs a newer GPU driver.
	GPUDriverTooOld Code = "GPUDriverTooOld"
)

// Images of runners.
const (
	// ImageMissing: the image is not on this machine.
	ImageMissing Code = "ImageMissing"
	// ImageUnknown: the registry has no such image or tag.
	ImageUnknown Code = "ImageUnknown"
	// ImageDenied: the registry does not give the image to this machine.
	ImageDenied Code = "ImageDenied"
	// ImagePullFailed: the image could not be fetched.
	ImagePullFailed Code = "ImagePullFailed"
	// ImageNameInvalid: the image's name cannot be one.
	ImageNameInvalid Code = "ImageNameInvalid"
	// ImageWrongPlatform: the image is for another CPU architecture or system.
	ImageWrongPlatform Code = "ImageWrongPlatform"
	// ImageMismatch: a container ended at start, and its image's tag carries
	// another release than this node is written for.
	ImageMismatch Code = "ImageMismatch"
	// RunnerVersionMismatch is a notice: a runner, or its image's tag, is of
	// another release than this node is written for.
	RunnerVersionMismatch Code = "RunnerVersionMismatch"
	// ImageOverridesInvalid: -aiRunnerImageOverrides cannot be read.
	ImageOverridesInvalid Code = "ImageOverridesInvalid"
)

// Containers of runners.
const (
	// ContainerOOM: a container, or the GPU under it, ran out of memory.
	ContainerOOM Code = "ContainerOOM"
	// ContainerPortConflict: the container's host port is taken.
	ContainerPortConflict Code = "ContainerPortConflict"
	// ContainerNameConflict: another container has the name.
	ContainerNameConflict Code = "ContainerNameConflict"
	// ContainerGone: the container no longer exists.
	ContainerGone Code = "ContainerGone"
	// ContainerCannotRun: the image's program cannot be started.
	ContainerCannotRun Code = "ContainerCannotRun"
	// ContainerExited: the container's program ended by itself.
	ContainerExited Code = "ContainerExited"
	// ModelsDirUnusable: the directory of models cannot be mounted or used.
	ModelsDirUnusable Code = "ModelsDirUnusable"
	// ContainerRootReadOnly: a container's program wants to change files of its image.
	ContainerRootReadOnly Code = "ContainerRootReadOnly"
	// ContainerNetworkFailed: a container's own network cannot be made.
	ContainerNetworkFailed Code = "ContainerNetworkFailed"
	// ContainerSandboxDegraded: a container runs without a limit that it should have.
	ContainerSandboxDegraded Code = "ContainerSandboxDegraded"
	// ModelNotDownloaded: a runner looks for files of its model at a hub that its
	// container cannot reach.
	ModelNotDownloaded Code = "ModelNotDownloaded"
)

// containerRows are the conditions of runner containers and the Docker Engine. Read-only.
var containerRows = []Row{
	{
		Code: DockerMissing, Class: Config,
		Symptom: "`Cannot connect to the Docker daemon`",
		Cause: "Nothing answers at the Docker Engine's address: it is not installed, is not running, or " +
			"`DOCKER_HOST` points elsewhere.",
		Remedy: "Install and start Docker (`systemctl start docker`), or set `DOCKER_HOST`. It is needed only " +
			"for models without `url`.", Retryable: true,
	},
	{
		Code: DockerForbidden, Class: Config,
		Symptom: "`permission denied while trying to connect to the docker API`",
		Cause:   "The user that the node runs as may not use the Docker Engine's socket.",
		Remedy: "Add that user to the group `docker` (`usermod -aG docker <user>`), log in again, and restart " +
			"the node. The group is as powerful as root.", Retryable: true,
	},
	{
		Code: DockerIncompatible, Class: Config,
		Symptom: "`client version … is too new`",
		Cause: "AI runner containers need Docker Engine 20.10 or newer (API 1.41), on Linux and with Linux " +
			"containers.",
		Remedy: "Update the Docker Engine, or run the AI worker on a Linux host.", Retryable: true,
	},
	{
		Code: DockerFailed, Class: Internal,
		Cause: "The Docker Engine refused or failed in a way that has no name here; its own words follow " +
			"in the log.",
		Remedy: "Read its words, then the engine's own log (`journalctl -u docker`).", Retryable: true,
	},
	{
		Code: DiskFull, Class: Config,
		Symptom: "`no space left on device`",
		Cause:   "The disk that holds images, containers or models is full.",
		Remedy: "Free space: `docker system df` shows what images take, `docker image prune -a` removes unused " +
			"ones; models are in `-aiModelsDir`.", Retryable: true,
	},
	{
		Code: GPUToolkitMissing, Class: Config,
		Symptom: "`-gpu all` reports no devices under Docker; AI runner container exits at start; ``could not " +
			"select device driver \"\" with capabilities: [[gpu]]``, `nvidia-container-cli: " +
			"initialization error`",
		Cause: "The Docker Engine cannot hand GPUs to containers: the GPU container toolkit is missing, is not " +
			"configured, or finds no driver. Or the node itself runs in a container that was given no GPU, " +
			"although the machine has one.",
		Remedy: "Install the NVIDIA Container Toolkit, run `nvidia-ctk runtime configure --runtime=docker`, " +
			"restart Docker, and check with `docker run --rm --gpus all <image> nvidia-smi`. Start a " +
			"container of the node with `--gpus all` and NVIDIA_DRIVER_CAPABILITIES=all.", Retryable: true,
	},
	{
		Code: GPUNotFound, Class: Config,
		Symptom: "`nvidia-container-cli: device error: … unknown device`",
		Cause:   "A container asks for a GPU that the machine does not have.",
		Remedy:  "Correct `-nvidia`; `nvidia-smi -L` lists the GPUs.", Retryable: true,
	},
	{
		Code: GPUDriverTooOld, Class: Config,
		Symptom: "`nvidia-container-cli: requirement error: unsatisfied condition: cuda>=…`",
		Cause: "The runner image needs a newer GPU driver than the machine has, or driver and libraries differ " +
			"since an update.",
		Remedy:    "Update the GPU driver and reboot, or use a runner image for the driver that is there.",
		Retryable: true,
	},
	{
		Code: ImageMissing, Class: Config,
		Symptom: "`No such image`",
		Cause:   "The runner image is not on this machine; it was removed after the node had fetched it.",
		Remedy: "None needed where the registry can be reached: the node fetches it again. Otherwise `docker " +
			"pull` or `docker load` it.", Retryable: true,
	},
	{
		Code: ImageUnknown, Class: Config,
		Symptom: "`manifest unknown`, `manifest for … not found`",
		Cause:   "The registry has no image of that name and tag.",
		Remedy:  "Correct the image in `-aiRunnerImageOverrides` or `-aiRunnerImage`.", Retryable: true,
	},
	{
		Code: ImageDenied, Class: Config,
		Symptom: "`pull access denied`, `unauthorized`",
		Cause: "The registry does not give the image to this machine: it does not exist under that name, or it " +
			"is private. The node sends no credentials.",
		Remedy: "Correct the image's name, or fetch a private image yourself with `docker login` and `docker " +
			"pull`; the node then uses it from the machine.", Retryable: true,
	},
	{
		Code: ImagePullFailed, Class: Upstream,
		Cause: "The runner image could not be fetched: the registry cannot be reached, limits the rate, or the " +
			"transfer broke.",
		Remedy: "Try `docker pull` with the image by hand; check DNS, proxy and firewall of the Docker Engine. " +
			"The node tries again.", Retryable: true,
	},
	{
		Code: ImageNameInvalid, Class: Config,
		Symptom: "`invalid reference format`",
		Cause:   "The runner image's name cannot be an image's name.",
		Remedy: "Write it as `[registry/]name[:tag]` in lower case in `-aiRunnerImageOverrides` or " +
			"`-aiRunnerImage`.", Retryable: true,
	},
	{
		Code: ImageWrongPlatform, Class: Config,
		Symptom: "`exec format error`, `no matching manifest for linux/…`",
		Cause:   "The runner image is for another CPU architecture or system than this machine's.",
		Remedy:  "Use an image for this machine; `docker image inspect` shows its architecture.", Retryable: true,
	},
	{
		Code: ImageMismatch, Class: Config,
		Symptom: "AI runner container exits at start",
		Cause: "A runner's container ended at start, and its image's tag carries another release than this node " +
			"is written for, which makes containers fail without a word.",
		Remedy: "Match the image to the release: correct its tag in `-aiRunnerImageOverrides` or " +
			"`-aiRunnerImage`, or leave it out to get the built-in one.", Retryable: true,
	},
	{
		Code: RunnerVersionMismatch, Class: Config,
		Cause: "A runner, or its image's tag, is of another release than this node is written for; it may fail " +
			"without a word.",
		Remedy: "Match the image to the release: `docker pull` the built-in image again, or correct the tag in " +
			"`-aiRunnerImageOverrides`.", Retryable: true,
	},
	{
		Code: ImageOverridesInvalid, Class: Config,
		Cause: "-aiRunnerImageOverrides is not the JSON object it must be, or names a pipeline or image that " +
			"cannot be.",
		Remedy: "Write it as " +
			"{\"default\":\"image\",\"batch\":{\"pipeline\":\"image\"},\"live\":{\"model\":\"image\"}}.",
	},
	{
		Code: ContainerOOM, Class: Config,
		Symptom: "`CUDA out of memory`; the container was killed for want of memory",
		Cause: "The model needs more GPU memory, main memory or shared memory than there is for its container. " +
			"The memory needs of warm models on one GPU add up.",
		Remedy: "Set some models' `warm` to false, use an optimization flag or a lower `GPU_MEMORY_UTILIZATION` " +
			"or `MAX_MODEL_LEN`, choose a smaller model, or use a bigger GPU.", Retryable: true,
	},
	{
		Code: ContainerPortConflict, Class: Config,
		Symptom: "`port is already allocated`, `address already in use`",
		Cause:   "The host port of a runner's container is taken by another container or program.",
		Remedy: "None needed for containers of the node: it takes another port. For a container that you start " +
			"yourself, change its host port and the `url` in aiModels.json.", Retryable: true,
	},
	{
		Code: ContainerNameConflict, Class: Config,
		Symptom: "`The container name … is already in use by container`",
		Cause: "Another container has the name that a runner's container should get: another node on this " +
			"machine, or one of this node under another service address.",
		Remedy: "Remove it (`docker rm -f <name>`) if nothing uses it. Two nodes on one machine need different " +
			"service addresses.", Retryable: true,
	},
	{
		Code: ContainerGone, Class: Internal,
		Symptom: "`No such container`",
		Cause:   "A runner's container was removed from outside the node.",
		Remedy:  "None needed: the node starts another.", Retryable: true,
	},
	{
		Code: ContainerCannotRun, Class: Config,
		Symptom: "`executable file not found in $PATH`",
		Cause:   "The program that the image names cannot be started: it is no runner image, or is damaged.",
		Remedy: "Correct the image in `-aiRunnerImageOverrides`; if it is right, remove it with `docker rmi` and " +
			"let the node fetch it again.", Retryable: true,
	},
	{
		Code: ContainerExited, Class: Internal,
		Symptom: "AI runner container exits at start",
		Cause:   "The program in a runner's container ended by itself. Its exit status and last lines are shown with it.",
		Remedy: "Read its last lines. Common causes are a missing GPU toolkit, too little memory, an image tag " +
			"that differs from the node's release, a model that was not downloaded or needs a license, and " +
			"damaged weights. The node starts it again with growing waits.", Retryable: true,
	},
	{
		Code: ModelsDirUnusable, Class: Config,
		Symptom: "`bind source path does not exist`",
		Cause: "The directory of models cannot be mounted into a container: it does not exist where the Docker " +
			"Engine runs, or may not be read and written.",
		Remedy: "Create the directory of `-aiModelsDir`, and let every user read it: `chmod -R a+rX " +
			"<aiModelsDir>`. A runner that must write there needs `\"write_models\": true` in its entry " +
			"of aiModels.json. Where the node itself runs in a container, it must be the host's path.",
		Retryable: true,
	},
	{
		Code: ContainerRootReadOnly, Class: Config,
		Symptom: "`Read-only file system` in the lines of a runner",
		Cause: "A runner's program wants to change files of its image, which are read-only in its container; it " +
			"may write below /tmp, /var/tmp and /run.",
		Remedy: "None needed where the entry in aiModels.json does not say `read_only`: the node starts the " +
			"container again with files that it may change. Otherwise delete `\"read_only\": true`.",
		Retryable: true,
	},
	{
		Code: ContainerNetworkFailed, Class: Config,
		Symptom: "`could not find an available, non-overlapping IPv4 address pool`",
		Cause: "The Docker Engine could not make the network that a runner's container gets for itself; most " +
			"often its address pools are used up.",
		Remedy: "Remove unused networks with `docker network prune`, or add `default-address-pools` to " +
			"/etc/docker/daemon.json and restart Docker. `\"network\": true` in the entry of " +
			"aiModels.json does without, and gives the container a way out.",
		Retryable: true,
	},
	{
		Code: ContainerSandboxDegraded, Class: Config,
		Cause: "A runner's container runs without a limit that it should have; the message names which. What " +
			"runs in it could do more harm than it should.",
		Remedy: "Run the node on the Docker Engine's own machine, as root's engine and not in a container " +
			"without `--network host`; mount the control groups for memory and pids. For system calls, take " +
			"`seccomp-profile` out of /etc/docker/daemon.json or update Docker to 23.0 or later. Where it is " +
			"meant, set it in the model's entry of aiModels.json (`network`, `read_only`).",
	},
	{
		Code: ModelNotDownloaded, Class: Config,
		Symptom: "`offline mode is enabled`, `LocalEntryNotFoundError`",
		Cause: "A runner looks for files of its model at the model hub, which its container cannot reach: the " +
			"model, or a part of it, is not in `-aiModelsDir`.",
		Remedy: "Download the model into `-aiModelsDir`: `hf download <model_id> --cache-dir <aiModelsDir>`. " +
			"Or let the container fetch it, with `\"network\": true` and `\"write_models\": true` in its " +
			"entry of aiModels.json.",
		Retryable: true,
	},
}
