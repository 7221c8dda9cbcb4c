package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/config"
)

// nodeProcess is a node that runs on this machine, as it was started.
type nodeProcess struct {
	pid           int
	args, environ []string
}

// InspectedNode is the configuration of the node that a command looks at. Without flags it is
// that of the node that runs here, with its own environment; where none or several run,
// that of the packages' service.
func InspectedNode(args []string, stderr io.Writer) config.Input {
	if len(args) > 0 {
		return Input(args)
	}
	nodes := runningNodes()
	switch {
	case len(nodes) == 1 && !slices.Contains(nodes[0].args, config.ServiceFile):
		fmt.Fprintf(stderr, "without flags: the configuration of the running node, process %d\n", nodes[0].pid)
		return nodes[0].input()
	case len(nodes) > 1:
		fmt.Fprintf(stderr, "without flags, and %d nodes run here: give the flags of the one that is meant (ps -fp %s)\n", len(nodes), pids(nodes))
	}
	return Input(ServiceArgs(nil, stderr))
}

// input is the configuration as the node read it.
func (p *nodeProcess) input() config.Input {
	in := Input(p.args)
	in.Environ = p.environ
	for _, v := range p.environ {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			in.Home = home
		}
	}
	return in
}

func pids(nodes []nodeProcess) string {
	var all []string
	for _, n := range nodes {
		all = append(all, fmt.Sprint(n.pid))
	}
	return strings.Join(all, ",")
}
