package process

import (
	"errors"
	"os"
	"syscall"
)

// noUpgrade is why the system does not let another process take this one's place.
const noUpgrade = "Windows has no way to hand listening sockets over as tutti does: drain the node, stop it and " +
	"start the new program"

// stopSignals are the console's Ctrl-C and Ctrl-Break, and its end, for which Windows leaves a program some
// seconds. None asks for a reload or an upgrade. Read-only.
var (
	stopSignals                   = []os.Signal{os.Interrupt, syscall.SIGTERM}
	reloadSignals, upgradeSignals []os.Signal
)

func containerInit(int) bool { return false }

// pair, unblock and containerInit belong to what noUpgrade rules out.
func pair() (ours, theirs *os.File, err error) { return nil, nil, errors.New(noUpgrade) }

func unblock([]*os.File) {}
