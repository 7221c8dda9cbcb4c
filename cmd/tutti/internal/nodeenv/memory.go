package nodeenv

import (
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// fullMemory is what a node has to be able to use for its memory limits to have their usual size.
const fullMemory = 4 << 30

// Memory returns a memory limit of this process in bytes: its usual size, or proportionally less
// where the machine, its container or its service has less than fullMemory. What peers may fill
// must not exceed what the node has, or the system ends the node.
func Memory(usual int64) int64 {
	all, _ := sandbox.MachineMemory("/")
	return memoryOf(usual, all)
}

// memoryOf is Memory for a node that may use so many bytes, 0 when that is unknown.
func memoryOf(usual, all int64) int64 {
	if all <= 0 || all >= fullMemory {
		return usual
	}
	return int64(float64(usual) / fullMemory * float64(all))
}

// ResultMemory is the memory limit of stored renditions: -resultMemory, which without an operator's
// choice follows Memory.
func ResultMemory(cfg *config.Config) int64 {
	n := int64(cfg.Limits.ResultMemory)
	if cfg.Origin("resultMemory").Source == config.FromDefault {
		return Memory(n)
	}
	return n
}

// heapLimit is what this process should not exceed: three quarters of what the node may use, or half
// where media workers need their part.
func heapLimit(cfg *config.Config) int64 {
	all, _ := sandbox.MachineMemory("/")
	if cfg.Roles.Transcoder {
		return all / 2
	}
	return all / 4 * 3
}
