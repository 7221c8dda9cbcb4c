package docker

import "github.com/tuttinode/tutti/core/fault"

// words lists words that must all be in a text.
func words(w ...string) []string { return w }

// enginePatterns match the engine's errors about containers, the specific before the
// general: "OCI runtime create failed" is part of most of them. Read-only.
var enginePatterns = []pattern{
	{fault.DiskFull, words("no space left on device"), "the engine's disk is full"},

	{fault.GPUDriverTooOld, words("nvidia-container-cli", "unsatisfied condition"), "the image needs a newer driver"},
	{fault.GPUDriverTooOld, words("driver/library version mismatch"),
		"driver and libraries differ: reboot after the update"},
	{fault.GPUNotFound, words("nvidia-container-cli", "unknown device"), "no such GPU"},
	{fault.GPUNotFound, words("unresolvable cdi devices"), "no such GPU"},
	{fault.GPUNotFound, words("failed to inject cdi devices"), "no such GPU"},
	{fault.GPUToolkitMissing, words("could not select device driver", "gpu"), "the engine has no driver for GPUs"},
	{fault.GPUToolkitMissing, words("nvidia-container-cli"), "the GPU container toolkit fails"},
	{fault.GPUToolkitMissing, words("nvidia-container-runtime"), "the GPU container toolkit fails"},
	{fault.GPUToolkitMissing, words("runtime", "nvidia", "unknown"),
		"the engine does not know the runtime of the GPU container toolkit"},
	{fault.GPUToolkitMissing, words("libnvidia-ml.so"), "the GPU container toolkit finds no driver"},

	{fault.ContainerPortConflict, words("port is already allocated"), "another container has the host port"},
	{fault.ContainerPortConflict, words("address already in use"), "another program has the host port"},
	{fault.ContainerPortConflict, words("ports are not available"), "another program has the host port"},
	{fault.ContainerNameConflict, words("name", "is already in use by container"), "another container has the name"},
	{fault.ContainerGone, words("no such container"), ""},
	{fault.ImageMissing, words("no such image"), ""},
	{fault.ImageNameInvalid, words("invalid reference format"), ""},

	{fault.ImageWrongPlatform, words("exec format error"), "for another architecture"},
	{fault.ImageWrongPlatform, words("does not match the specified platform"), "for another architecture"},
	{fault.ImageWrongPlatform, words("cannot be used on this platform"), "for another system"},
	{fault.ImageWrongPlatform, words("does not match the detected host platform"), "for another architecture"},

	{fault.ModelsDirUnusable, words("bind source path does not exist"),
		"the directory does not exist where the engine runs"},
	{fault.ModelsDirUnusable, words("error while creating mount source path"), "the engine cannot make the directory"},
	{fault.ModelsDirUnusable, words("error mounting", modelsPath), "the engine cannot mount the directory"},
	{fault.ModelsDirUnusable, words("invalid mount config"), "the directory's path cannot be mounted"},
	{fault.ModelsDirUnusable, words("mounts denied"), "the engine may not share the directory"},

	{fault.ContainerRootReadOnly, words("read-only file system"), "the engine cannot prepare it with a read-only root"},

	{fault.ContainerCannotRun, words("executable file not found"), "the image has no such program"},
	{fault.ContainerCannotRun, words("unable to start container process: exec"), "the image's program cannot be started"},
	{fault.ContainerCannotRun, words("no command specified"), "the image names no program"},
	{fault.ContainerCannotRun, words("container_linux.go", "exec:"), "the image's program cannot be started"},

	{fault.ContainerOOM, words("cannot allocate memory"), "the machine has no memory left"},
	{fault.ContainerOOM, words("minimum memory limit"), "the memory limit is below what the engine takes"},
	{fault.ContainerOOM, words("unable to apply cgroup configuration", "memory"), "the memory limit is too low"},

	{fault.DockerIncompatible, words("client version", "is too new"), "the engine is too old"},
	{fault.DockerIncompatible, words("client version", "is too old"), "the engine is too new"},
	{fault.DockerIncompatible, words("is not supported by this client"), "the engine is too old"},
	{fault.DockerForbidden, words("permission denied while trying to connect"), ""},
	{fault.DockerForbidden, words("got permission denied"), ""},
	{fault.DockerMissing, words("cannot connect to the docker daemon"), "nothing answers"},
	{fault.DockerMissing, words("failed to connect to the docker api"), "nothing answers"},
}

// runnerPatterns match what runners and their libraries print before they end. Only
// unambiguous words are listed. Read-only.
var runnerPatterns = []pattern{
	{fault.ContainerOOM, words("/dev/shm", "no space left on device"), "shared memory is too small"},
	{fault.ContainerOOM, words("out of shared memory"), "shared memory is too small"},
	{fault.ContainerOOM, words("insufficient shared memory"), "shared memory is too small"},
	{fault.ContainerOOM, words("outofmemoryerror"), "the GPU's memory is too small"},
	{fault.ContainerOOM, words("cuda", "out of memory"), "the GPU's memory is too small"},
	{fault.ContainerOOM, words("hip", "out of memory"), "the GPU's memory is too small"},
	{fault.ContainerOOM, words("gpu", "out of memory"), "the GPU's memory is too small"},
	{fault.ContainerOOM, words("cublas_status_alloc_failed"), "the GPU's memory is too small"},
	{fault.ContainerOOM, words("no available memory for the cache blocks"), "the GPU's memory is too small"},
	{fault.ContainerOOM, words("less than desired gpu memory utilization"), "others use the GPU's memory"},
	{fault.ContainerOOM, words("larger than the maximum number of tokens that can be stored in kv cache"),
		"the GPU's memory is too small for the model's length"},
	{fault.ContainerOOM, words("cannot allocate memory"), "main memory is too small"},
	{fault.ContainerOOM, words("std::bad_alloc"), "main memory is too small"},
	{fault.ContainerOOM, words("runtime: out of memory"), "main memory is too small"},

	{fault.GPUDriverTooOld, words("driver version is insufficient"), "the image needs a newer driver"},
	{fault.GPUDriverTooOld, words("nvidia driver on your system is too old"), "the image needs a newer driver"},
	{fault.GPUDriverTooOld, words("driver/library version mismatch"),
		"driver and libraries differ: reboot after the update"},
	{fault.GPUToolkitMissing, words("found no nvidia driver on your system"), "the container sees no GPU"},
	{fault.GPUToolkitMissing, words("libcuda.so", "cannot open shared object file"), "the container sees no GPU"},
	{fault.GPUToolkitMissing, words("no cuda gpus are available"), "the container sees no GPU"},
	{fault.GPUToolkitMissing, words("no cuda-capable device is detected"), "the container sees no GPU"},

	{fault.ImageWrongPlatform, words("exec format error"), "for another architecture"},
	{fault.ModelsDirUnusable, words("permission denied", modelsPath), "the runner may not use it"},
	{fault.ModelsDirUnusable, words("read-only file system", modelsPath),
		`the runner wants to write to it: "write_models" in its entry permits that`},
	{fault.ContainerRootReadOnly, words("read-only file system"), ""},
	{fault.ModelNotDownloaded, words("offline mode is enabled"), ""},
	{fault.ModelNotDownloaded, words("offlinemodeisenabled"), ""},
	{fault.ModelNotDownloaded, words("localentrynotfounderror"), ""},
	{fault.ModelNotDownloaded, words("outgoing traffic has been disabled"), ""},
	{fault.ModelNotDownloaded, words("we couldn't connect to 'https://huggingface.co'"), ""},
	{fault.DiskFull, words("no space left on device"), "a disk that the runner writes to is full"},
}

// pullPatterns match the engine's and the registries' errors about pulls. Read-only.
var pullPatterns = []pattern{
	{fault.DiskFull, words("no space left on device"), "the engine's disk is full"},
	{fault.ImageNameInvalid, words("invalid reference format"), ""},
	{fault.ImageNameInvalid, words("must be lowercase"), ""},
	{fault.ImageWrongPlatform, words("no matching manifest for"), "the registry has none for this machine"},
	{fault.ImageWrongPlatform, words("does not match the specified platform"), "for another architecture"},
	{fault.ImageWrongPlatform, words("cannot be used on this platform"), "for another system"},
	{fault.ImagePullFailed, words("toomanyrequests"), "the registry limits the rate"},
	{fault.ImagePullFailed, words("429 too many requests"), "the registry limits the rate"},
	{fault.ImageDenied, words("access denied"), ""},
	{fault.ImageDenied, words("resource is denied"), ""},
	{fault.ImageDenied, words("unauthorized"), ""},
	{fault.ImageDenied, words("authentication required"), ""},
	{fault.ImageDenied, words("no basic auth credentials"), ""},
	{fault.ImageDenied, words("insufficient_scope"), ""},
	{fault.ImageDenied, words("403 forbidden"), ""},
	{fault.ImageUnknown, words("manifest unknown"), ""},
	{fault.ImageUnknown, words("manifest for", "not found"), ""},
	{fault.ImageUnknown, words("name unknown"), ""},
	{fault.ImageUnknown, words("failed to resolve reference", ": not found"), ""},
	{fault.ImagePullFailed, words("no such host"), "the registry's name is not known"},
	{fault.ImagePullFailed, words("name resolution"), "the registry's name is not known"},
	{fault.ImagePullFailed, words("server misbehaving"), "the registry's name is not known"},
	{fault.ImagePullFailed, words("connection refused"), "the registry cannot be reached"},
	{fault.ImagePullFailed, words("no route to host"), "the registry cannot be reached"},
	{fault.ImagePullFailed, words("network is unreachable"), "the registry cannot be reached"},
	{fault.ImagePullFailed, words("timeout"), "the registry does not answer"},
	{fault.ImagePullFailed, words("request canceled while waiting"), "the registry does not answer"},
	{fault.ImagePullFailed, words("x509"), "the registry's certificate is not trusted"},
	{fault.ImagePullFailed, words("server gave http response to https client"), "the registry speaks no TLS"},
	{fault.ImagePullFailed, words("unexpected eof"), "the transfer broke"},
}
