package sandbox

import "errors"

// restrictOpening allows the calls that open an engine and apply the other restrictions.
func restrictOpening(o Options) error {
	if o.GPU {
		return restrict(openingGPU())
	}
	return restrict(opening())
}

// restrictServing allows the calls that transcode media.
func restrictServing(o Options) error {
	if o.GPU {
		return restrict(driving())
	}
	return restrict(serving())
}

// Watch allows a process that watches GPUs, and has their driver open, only the system calls
// of the driver.
func Watch() error {
	if err := renounce(); err != nil {
		return err
	}
	return restrict(watching())
}

// restrict refuses what is not on a list, in every thread and for good. Of several
// lists a call has to be on each.
func restrict(list []call) error {
	if abi == 0 {
		return errors.New("the calls of this architecture are not known")
	}
	program, err := filter(abi, list)
	if err != nil {
		return err
	}
	return install(program)
}
