// Package sandbox restricts a media worker's process, so that media which takes over a
// codec gets nothing but that codec: no network, no files beyond a driver's own, no other
// processes, no privileges. The allowed system calls are a list (allowedcalls_linux.go); every
// other call is refused, also those of later kernels.
//
// It changes the process that calls it, for good. transcoder/worker calls it in
// the child, Prepare before the engine is opened and Enter after; the network
// namespace is made by the process that starts the child. Restrictions that the system does not provide are returned
// to the caller, which reports them to the operator.
//
// memory.go and group.go say what of the machine this process may use: memory and threads, within the limits of its
// container or service. They read the files of Linux; elsewhere nothing is known.
package sandbox

import "fmt"

// Options say what the engine inside needs.
type Options struct {
	// GPU allows the driver's device nodes, and the many descriptors that it opens.
	GPU bool
	// Libraries are folders, besides the system's, that hold a GPU's driver; the worker
	// may read them. Entries that are no such folder are left out.
	Libraries []string
	// Cache is the one folder in which a GPU's driver may make and remove files, ""
	// for none.
	Cache string
	// Memory bounds the process's private memory, in bytes; 0 is no bound. It is
	// far above the limit that the control process watches, because the kernel counts
	// reserved memory here, not used memory.
	Memory int64
	// User is the user and group that the process becomes, 0 to stay the one it is.
	User int
	// Mounts: the process was started with a mount namespace of its own, and may mount.
	// Without, it does not touch what is mounted, which would be the node's.
	Mounts bool
	// Nice is added to the process's niceness, so that the control process gets
	// a CPU core when it needs one.
	Nice int
}

// Prepare drops what no engine needs: inherited descriptors above keep, core
// dumps, priority, the node's user, and the system calls with which no engine is
// opened. It returns the restrictions that could not be applied.
func Prepare(keep int, o Options) (missing []string) { return collect(first(keep, o)) }

// Enter completes the sandbox. After it the process can allocate, compute, start threads and
// use its open descriptors; the driver of a GPU can also open its own files. It returns the
// restrictions that could not be applied.
func Enter(o Options) (missing []string) { return collect(last(o)) }

// restriction is one of the sandbox's layers; apply puts it in force for this process.
type restriction struct {
	name  string
	apply func() error
}

func collect(restrictions []restriction) (missing []string) {
	for _, r := range restrictions {
		if err := r.apply(); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", r.name, err))
		}
	}
	return missing
}
