package docker_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
)

// Texts as engines 20.10 to 28 and what is below them write them, with names of
// hosts and digests shortened.
func TestRecognizeEngine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want fault.Code
	}{
		{`could not select device driver "" with capabilities: [[gpu]]`, fault.GPUToolkitMissing},
		{`Unknown runtime specified nvidia`, fault.GPUToolkitMissing},
		{`unknown or invalid runtime name: nvidia`, fault.GPUToolkitMissing},
		{`failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ` +
			`error during container init: error running hook #0: error running hook: exit status 1, stdout: , stderr: ` +
			`Auto-detected mode as 'legacy'
nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown`, fault.GPUToolkitMissing},
		{`nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object ` +
			`file: no such file or directory: unknown`, fault.GPUToolkitMissing},
		{`OCI runtime create failed: unable to retrieve OCI runtime error (open ` +
			`/run/containerd/io.containerd.runtime.v2.task/moby/0/log.json: no such file or directory): fork/exec ` +
			`/usr/bin/nvidia-container-runtime: no such file or directory: unknown`, fault.GPUToolkitMissing},
		{`nvidia-container-cli: device error: 7: unknown device: unknown`, fault.GPUNotFound},
		{`could not apply CDI devices: unresolvable CDI devices nvidia.com/gpu=7`, fault.GPUNotFound},
		{`nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4, please update your driver to a newer ` +
			`version, or use an earlier cuda container: unknown`, fault.GPUDriverTooOld},
		{`nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown`,
			fault.GPUDriverTooOld},
		{`driver failed programming external connectivity on endpoint x (0): Bind for 127.0.0.1:8500 failed: port is ` +
			`already allocated`, fault.ContainerPortConflict},
		{`driver failed programming external connectivity on endpoint x (0): Error starting userland proxy: listen tcp4 ` +
			`127.0.0.1:8500: bind: address already in use`, fault.ContainerPortConflict},
		{`failed to set up container networking: failed to bind host port for 127.0.0.1:8500:10.0.0.2:8000/tcp: address ` +
			`already in use`, fault.ContainerPortConflict},
		{`Conflict. The container name "/llm_m_8500" is already in use by container "0a1b". You have to remove (or rename) ` +
			`that container to be able to reuse that name.`, fault.ContainerNameConflict},
		{`No such container: 0a1b`, fault.ContainerGone},
		{`No such image: nosuch/img:1`, fault.ImageMissing},
		{`invalid reference format: repository name must be lowercase`, fault.ImageNameInvalid},
		{`image with reference x was found but does not match the specified platform: wanted linux/arm64, actual: ` +
			`linux/amd64`, fault.ImageWrongPlatform},
		{`invalid mount config for type "bind": bind source path does not exist: /nonexistent`, fault.ModelsDirUnusable},
		{`error while creating mount source path '/m': mkdir /m: read-only file system`, fault.ModelsDirUnusable},
		{`failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ` +
			`exec: "/nope": stat /nope: no such file or directory: unknown`, fault.ContainerCannotRun},
		{`failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ` +
			`exec: "nope": executable file not found in $PATH: unknown`, fault.ContainerCannotRun},
		{`No command specified`, fault.ContainerCannotRun},
		{`mkdir /var/lib/docker/overlay2/x: no space left on device`, fault.DiskFull},
		{`Minimum memory limit allowed is 6MB`, fault.ContainerOOM},
		{`client version 1.56 is too new. Maximum supported API version is 1.38`, fault.DockerIncompatible},
		{`client version 1.41 is too old. Minimum supported API version is 1.44, please upgrade your client to a newer ` +
			`version`, fault.DockerIncompatible},
		{`something that was never seen`, fault.DockerFailed},
	}
	for _, tt := range tests {
		got := docker.Classify(docker.Evidence{Engine: "Error response from daemon: " + tt.text})
		if got.Code != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got.Code, tt.want)
		}
		if got.Line == "" || strings.Contains(got.Line, "\n") {
			t.Errorf("%q: the words are lost or not one line: %q", tt.text, got.Line)
		}
		if _, known := fault.Lookup(got.Code); !known {
			t.Errorf("%s has no row", got.Code)
		}
	}
}

func TestRecognizeLastLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want fault.Code
	}{
		{`torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 7.79 GiB`,
			fault.ContainerOOM},
		{`RuntimeError: CUDA error: out of memory`, fault.ContainerOOM},
		{`ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory`,
			fault.ContainerOOM},
		{`ValueError: No available memory for the cache blocks. Try increasing gpu_memory_utilization when initializing ` +
			`the engine.`, fault.ContainerOOM},
		{`ValueError: Free memory on device (3.1/7.6 GiB) on startup is less than desired GPU memory utilization (0.9, 6.9 ` +
			`GiB).`, fault.ContainerOOM},
		{`ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in ` +
			`KV cache (31088).`, fault.ContainerOOM},
		{`Error while creating shared memory segment /dev/shm/nccl-x (size 33030528), error: No space left on device (28)`,
			fault.ContainerOOM},
		{`RuntimeError: unable to write to file </torch_1_2>: insufficient shared memory (shm)`, fault.ContainerOOM},
		{`terminate called after throwing an instance of 'std::bad_alloc'`, fault.ContainerOOM},
		{`fatal error: runtime: out of memory`, fault.ContainerOOM},
		{`RuntimeError: The NVIDIA driver on your system is too old (found version 11040).`, fault.GPUDriverTooOld},
		{`CUDA error 35: CUDA driver version is insufficient for CUDA runtime version`, fault.GPUDriverTooOld},
		{`RuntimeError: Found no NVIDIA driver on your system.`, fault.GPUToolkitMissing},
		{`RuntimeError: No CUDA GPUs are available`, fault.GPUToolkitMissing},
		{`exec /usr/bin/python3: exec format error`, fault.ImageWrongPlatform},
		{`PermissionError: [Errno 13] Permission denied: '/models/models--meta-llama'`, fault.ModelsDirUnusable},
		{`OSError: [Errno 28] No space left on device`, fault.DiskFull},
		{`KeyError: 'model'`, fault.ContainerExited},
		{`OSError: [Errno 98] Address already in use`, fault.ContainerExited},
	}
	for _, tt := range tests {
		got := docker.Classify(docker.Evidence{Lines: []string{"loading", tt.line, "during handling of the above"},
			ExitCode: 1})
		if got.Code != tt.want {
			t.Errorf("%q: %s, want %s", tt.line, got.Code, tt.want)
		}
		if got.Code != fault.ContainerExited && got.Line != tt.line {
			t.Errorf("%q: shows %q", tt.line, got.Line)
		}
	}
}

func TestRecognizeEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		evidence docker.Evidence
		want     fault.Code
		detail   string
	}{
		{docker.Evidence{OOMKilled: true, ExitCode: 137, Lines: []string{"CUDA driver version is insufficient"}},
			fault.ContainerOOM, "killed for lack of main memory"},
		{docker.Evidence{ExitCode: 0}, fault.ContainerExited, "exit status 0"},
		{docker.Evidence{ExitCode: 3, Lines: []string{"bye"}}, fault.ContainerExited, "exit status 3"},
		{docker.Evidence{ExitCode: 126}, fault.ContainerCannotRun, "exit status 126"},
		{docker.Evidence{ExitCode: 127}, fault.ContainerCannotRun, "exit status 127"},
		{docker.Evidence{ExitCode: 137}, fault.ContainerExited,
			"exit status 137, killed by another process or by the kernel for lack of memory"},
		{docker.Evidence{ExitCode: 139}, fault.ContainerExited, "exit status 139, ended by signal segmentation fault"},
		{docker.Evidence{ExitCode: 255}, fault.ContainerExited, "exit status 255"},
		// The engine's words count before the container's.
		{docker.Evidence{Engine: "no space left on device", Lines: []string{"CUDA out of memory"}}, fault.DiskFull,
			"the engine's disk is full"},
		// And the container's where the engine's say nothing.
		{docker.Evidence{Engine: "odd", Lines: []string{"CUDA out of memory"}}, fault.ContainerOOM,
			"the GPU's memory is too small"},
	}
	for _, tt := range tests {
		if got := docker.Classify(tt.evidence); got.Code != tt.want || got.Detail != tt.detail {
			t.Errorf("%+v: %s (%s), want %s (%s)", tt.evidence, got.Code, got.Detail, tt.want, tt.detail)
		}
	}
}

func TestRecognizePull(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want fault.Code
	}{
		{`manifest for livepeer/ai-runner:nosuch not found: manifest unknown: manifest unknown`, fault.ImageUnknown},
		{`failed to resolve reference "registry.example/a/b:1": registry.example/a/b:1: not found`, fault.ImageUnknown},
		{`pull access denied for nosuch/img, repository does not exist or may require 'docker login': denied: requested ` +
			`access to the resource is denied`, fault.ImageDenied},
		{`Head "https://registry.example/v2/a/b/manifests/1": unauthorized: authentication required`, fault.ImageDenied},
		{`Get "https://registry.example/v2/": dial tcp: lookup registry.example on 10.0.0.53:53: no such host`,
			fault.ImagePullFailed},
		{`Get "http://127.0.0.1:9/v2/": dial tcp 127.0.0.1:9: connect: connection refused`, fault.ImagePullFailed},
		{`Get "https://registry.example/v2/": net/http: request canceled while waiting for connection (Client.Timeout ` +
			`exceeded while awaiting headers)`, fault.ImagePullFailed},
		{`toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating`,
			fault.ImagePullFailed},
		{`tls: failed to verify certificate: x509: certificate signed by unknown authority`, fault.ImagePullFailed},
		{`failed to register layer: Error processing tar file(exit status 1): write /usr/lib/x.so: no space left on device`,
			fault.DiskFull},
		{`no matching manifest for linux/arm64/v8 in the manifest list entries`, fault.ImageWrongPlatform},
		{`image operating system "windows" cannot be used on this platform`, fault.ImageWrongPlatform},
		{`invalid reference format`, fault.ImageNameInvalid},
		{`Error response from daemon: denied`, fault.ImageDenied},
		{`open /var/lib/docker/tmp/GetImageBlob1: permission denied`, fault.ImagePullFailed},
		{`something new`, fault.ImagePullFailed},
	}
	for _, tt := range tests {
		if got := docker.ClassifyPull(tt.text); got.Code != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got.Code, tt.want)
		}
	}
}

func FuzzRecognize(f *testing.F) {
	f.Add("could not select device driver \"\" with capabilities: [[gpu]]", "line\x1b[31mred", 137, false)
	f.Fuzz(func(t *testing.T, engine, line string, exit int, oom bool) {
		got := docker.Classify(docker.Evidence{Engine: engine, Lines: []string{line}, ExitCode: exit, OOMKilled: oom})
		if _, known := fault.Lookup(got.Code); !known {
			t.Fatalf("%q is no code", got.Code)
		}
		if strings.ContainsAny(got.Line+got.Detail, "\n\r\x1b\x00") || len(got.Line) > 600 {
			t.Fatalf("not fit to be shown: %q", got.Line)
		}
	})
}
