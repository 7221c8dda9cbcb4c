// Package sandbox puts walls around a media worker's process, so that media
// which takes over a codec gets nothing but that codec: no network, no files
// beyond a driver's own, no other processes, no privileges. What it may ask of the
// system is a list (lists_linux.go): what is not on it is refused, whatever the system
// learns in later versions.
//
// It changes the process that calls it, for good. transcoder/worker calls it in
// the child, Prepare before the engine is opened and Enter after; the network
// namespace is made by the process that starts the child. Walls that the system does not
// provide are named to the caller, who tells the operator.
//
// memory.go and group.go say what of the machine this process may use: memory and threads, within
// the limits of its container or service. They read the files of Linux; elsewhere nothing is known.
package sandbox

import "fmt"

// Options say what the engine inside needs.
type Options struct {
	// GPU admits the driver's device nodes and its appetite for descriptors.
	GPU bool
	// Libraries are folders, beyond the system's, in which a GPU's driver lies; what
	// is there may be read. Entries that are no such folder are left out.
	Libraries []string
	// Cache is the one folder in which a GPU's driver may make and remove files, ""
	// for none.
	Cache string
	// Memory bounds the process's private memory, in bytes; 0 is no bound. It is
	// a coarse stop far above the limit that the control process watches, since
	// it counts what is reserved, not what is used.
	Memory int64
	// User is the user and group that the process becomes, 0 to stay the one it is.
	User int
	// Mounts: the process was started with a mount namespace of its own, and may mount.
	// Without, it does not touch what is mounted, which would be the node's.
	Mounts bool
	// Nice is added to the process's niceness, so that the control process gets
	// the processor when it needs it.
	Nice int
}

// Prepare drops what no engine needs: inherited descriptors above keep, core
// dumps, priority, the node's user, and the system calls with which no engine is
// opened. It returns the walls that could not be put up.
func Prepare(keep int, o Options) (missing []string) { return collect(first(keep, o)) }

// Enter completes the sandbox. After it the process can allocate, compute, start threads and
// use its open descriptors; the driver of a GPU can also open its own files. It returns the
// walls that could not be put up.
func Enter(o Options) (missing []string) { return collect(last(o)) }

type wall struct {
	name  string
	build func() error
}

func collect(walls []wall) (missing []string) {
	for _, w := range walls {
		if err := w.build(); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", w.name, err))
		}
	}
	return missing
}
