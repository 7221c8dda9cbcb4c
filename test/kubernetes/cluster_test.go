package kubernetes

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// cluster plays the part of Kubernetes that decides whether pods find one another: it
// starts a workload's container as a process with an address of its own, asks its
// readiness probe, and has a Service lead to the pods that are ready, or to all where the
// manifest says so.
type cluster struct {
	*testing.T
	objects []object
	mu      sync.Mutex
	pods    []*pod // guarded by mu
	// values take the place of the words that an operator replaces.
	values map[string]string
}

// pod is one container on an address of its own.
type pod struct {
	*harness.Process
	labels map[string]string
	addr   string
	probe  string
}

// ready is the answer of the readiness probe.
func (p *pod) ready() bool { return answers(p.probe) }

// find is an object of a folder.
func (c *cluster) find(folder, kind, name string) object {
	c.Helper()
	for _, o := range c.objects {
		if filepath.Base(o.Folder) == folder && o.Kind == kind && o.Name == name {
			return o
		}
	}
	c.Fatalf("there is no %s %s in %s", kind, name, folder)
	return object{}
}

// run starts the first container of a workload on an address. replaced are further texts
// of its options, in pairs.
func (c *cluster) run(folder, kind, name, addr string, replaced ...string) *pod {
	c.Helper()
	o := c.find(folder, kind, name)
	spec := o.Object.Spec.Template.Spec.Containers[0]
	files := mounted(c.objects, o, spec)
	for path := range files {
		if v, ok := c.values[filepath.Base(path)]; ok {
			files[path] = v
		}
	}
	root := c.TempDir()
	args := spec.command(c.T, files, func(volume string) string { return filepath.Join(root, volume) }, addr,
		append(replaced, "$(NODE_NAME)/$(POD_NAME)", name)...)
	p := &pod{
		Process: harness.Start(c.T, binary, args...), addr: addr, labels: o.Object.Spec.Template.Metadata.Labels,
		probe: spec.probe(addr),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pods = append(c.pods, p)
	return p
}

// service leads connections at an address to the pods of a Service.
func (c *cluster) service(folder, name, addr string) {
	c.Helper()
	spec := c.find(folder, "Service", name).Object.Spec.serviceSpec
	for _, port := range spec.Ports {
		listener, err := net.Listen("tcp", net.JoinHostPort(addr, strconv.Itoa(port.Port)))
		if err != nil {
			c.Fatal(err)
		}
		c.Cleanup(func() { listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go c.lead(conn, &spec, port.Port)
			}
		}()
	}
}

// lead connects a client to a pod of the Service, or hangs up where there is none.
func (c *cluster) lead(conn net.Conn, spec *serviceSpec, port int) {
	defer conn.Close()
	c.mu.Lock()
	pods := slices.Clone(c.pods)
	c.mu.Unlock()
	for _, p := range pods {
		if !selects(spec.Selector, p.labels) || !spec.PublishNotReadyAddresses && !p.ready() {
			continue
		}
		to, err := net.Dial("tcp", net.JoinHostPort(p.addr, strconv.Itoa(port)))
		if err != nil {
			continue
		}
		join(conn, to)
		return
	}
}

// selects reports whether a Service's selector fits a pod.
func selects(by any, labels map[string]string) bool {
	wanted, ok := by.(map[string]any)
	for k, v := range wanted {
		if labels[k] != v {
			return false
		}
	}
	return ok && len(wanted) > 0
}
