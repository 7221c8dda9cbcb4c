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
	// ImageWrongPlatform: the image is for another processor or system.
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
