package config

import (
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// LoadDataDir reads where a node keeps its state, for commands on a data directory:
// the directory, the network and the options that are named here. The options that only a
// running node needs, such as an endpoint or a price, may be missing or wrong. The error is
// of type Problems. It lists what is wrong with the named options, and the unknown words of
// the command line.
func LoadDataDir(in Input, options ...string) (*Config, error) {
	l := newLoader(&in)
	l.gather()
	l.assign()
	l.completeDataDir()
	l.validateRetired()
	l.validateStore()
	l.config.settings = l.settings()
	mine := slices.DeleteFunc(l.problems, func(p *Problem) bool {
		return !slices.Contains(options, p.Option()) && !isUnknownWord(p)
	})
	if len(mine) > 0 {
		return nil, Problems(mine)
	}
	return l.config, nil
}

// isUnknownWord reports whether a problem is an unknown word of the command line.
func isUnknownWord(p *Problem) bool {
	return p.Origin.Source == FromFlag && (p.Code == fault.UnknownOption || p.Code == fault.UnexpectedArgument)
}
