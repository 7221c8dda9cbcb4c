package command

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/config"
)

// nodeProcess is a node that runs on this machine, as it was started.
type nodeProcess struct {
	pid           int
	args, environ []string
	// owned: its user runs this command, too, and has chosen its flags.
	owned bool
}

// InspectedNode returns the configuration of the node that a command looks at. Without flags it is
// that of the node that runs here, with its own environment; where none or several run,
// that of the packages' service.
func InspectedNode(args []string, stderr io.Writer) config.Input {
	if len(args) > 0 {
		return Input(args)
	}
	nodes := runningNodes()
	switch {
	case len(nodes) == 1 && !slices.Contains(nodes[0].args, config.ServiceFile):
		return nodes[0].inspected(stderr)
	case len(nodes) > 1:
		fmt.Fprintf(stderr, "without flags, and %d nodes run here: give the flags of the one that is meant (ps -fp %s)\n",
			len(nodes), pids(nodes))
	}
	return Input(ServiceArgs(nil, stderr))
}

// inspected returns the configuration of the only node. Root can read every user's flags and
// environment, and must not trust them: they could name root's files, addresses to send them to
// and programs to load. From another user's node it takes only the name of a configuration file in
// a directory that only root writes.
func (p *nodeProcess) inspected(stderr io.Writer) config.Input {
	if p.owned {
		fmt.Fprintf(stderr, "without flags: the configuration of the running node, process %d\n", p.pid)
		return p.input()
	}
	if file, ok := p.instance(); ok && onlyRootWrites(filepath.Dir(file)) {
		fmt.Fprintf(stderr, "without flags: the configuration of the running node, process %d: -config %s\n", p.pid, file)
		return Input([]string{"-config", file})
	}
	fmt.Fprintf(stderr, "without flags: process %d is another user's node, whose flags are not taken: "+
		"run this as that user, or give the flags (ps -fp %d)\n", p.pid, p.pid)
	return Input(ServiceArgs(nil, stderr))
}

// instance returns the configuration of a node that was started as the packages' services are.
func (p *nodeProcess) instance() (file string, ok bool) {
	if len(p.args) != 2 || p.args[0] != "-config" {
		return "", false
	}
	file = p.args[1]
	return file, filepath.Dir(file) == filepath.Dir(config.ServiceFile) && filepath.Clean(file) == file
}

// input returns the configuration as the node read it.
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
