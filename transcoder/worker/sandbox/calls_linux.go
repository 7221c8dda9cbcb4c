package sandbox

import "errors"

// restrictOpening leaves the calls with which an engine is opened and the other walls
// are put up.
func restrictOpening(o Options) error {
	if o.GPU {
		return restrict(openingGPU())
	}
	return restrict(opening())
}

// restrictServing leaves the calls with which media is transcoded.
func restrictServing(o Options) error {
	if o.GPU {
		return restrict(driving())
	}
	return restrict(serving())
}

// Watch leaves a process that watches GPUs, and has their driver open, the system calls
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
