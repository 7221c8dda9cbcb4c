package kubernetes

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// runningPod is a pod whose containers run. Of these tutti is a process of its own; a
// model server next to it is played.
type runningPod struct {
	*harness.Process
	addr, probe string
	ready       bool
}

// run starts a pod that has a node once its volumes are there, and from then on says in its
// status whether it is ready.
func (n *nodes) run(p *podObject) {
	n.Helper()
	r := n.running[p.Metadata.UID]
	switch {
	case r == nil && !n.bound(p):
	case r == nil:
		n.report(p, n.start(p))
	default:
		if ready := answers(r.probe); ready != r.ready {
			r.ready = ready
			n.report(p, r)
		}
	}
}

// bound reports whether the controller has found volumes for all claims of a pod.
func (n *nodes) bound(p *podObject) bool {
	n.Helper()
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		var claim struct{ Status struct{ Phase string } }
		n.call("GET", corePath+"/persistentvolumeclaims/"+v.PersistentVolumeClaim.ClaimName, "", nil, &claim)
		if claim.Status.Phase != "Bound" {
			return false
		}
	}
	return true
}

// start starts tutti in a pod, on an address of the pod's own.
func (n *nodes) start(p *podObject) *runningPod {
	n.Helper()
	n.started++
	r := &runningPod{addr: fmt.Sprintf("%s%d", podNetwork, n.started)}
	root := n.TempDir()
	dirs := map[string]string{}
	for _, v := range p.Spec.Volumes {
		dirs[v.Name] = filepath.Join(root, v.Name)
		if v.PersistentVolumeClaim != nil { // outlives the pod
			dirs[v.Name] = filepath.Join(n.volumes, v.PersistentVolumeClaim.ClaimName)
		}
	}
	for _, c := range p.Spec.Containers {
		if !c.isNode() {
			continue
		}
		args := c.command(n.T, n.files(p, c), func(volume string) string { return dirs[volume] }, loopback(r.addr),
			append(n.words(), fields(p, c)...)...)
		r.probe = c.probe(loopback(r.addr))
		r.Process = harness.Start(n.T, binary, args...)
	}
	n.running[p.Metadata.UID] = r
	return r
}

// fields are the replacements of variables in a container's options.
func fields(p *podObject, c container) (pairs []string) {
	values := map[string]string{"spec.nodeName": p.Spec.NodeName, "metadata.name": p.Metadata.Name}
	for _, v := range c.Env {
		if field := v.ValueFrom.FieldRef.FieldPath; field != "" {
			v.Value = values[field]
		}
		pairs = append(pairs, "$("+v.Name+")", v.Value)
	}
	return pairs
}

// files are what the secrets and config maps of the API server put into a container.
func (n *nodes) files(p *podObject, c container) map[string]string {
	n.Helper()
	files := map[string]string{}
	for _, m := range c.VolumeMounts {
		for _, v := range p.Spec.Volumes {
			if v.Name != m.Name {
				continue
			}
			for name, text := range n.content(v) {
				files[m.MountPath+"/"+name] = text
			}
		}
	}
	return files
}

// content are the files of one volume.
func (n *nodes) content(v volume) map[string]string {
	n.Helper()
	var object struct{ Data map[string]string }
	switch {
	case v.ConfigMap != nil:
		n.call("GET", corePath+"/configmaps/"+v.ConfigMap.Name, "", nil, &object)
		return object.Data
	case v.Secret != nil:
		n.call("GET", corePath+"/secrets/"+v.Secret.SecretName, "", nil, &object)
	default:
		return nil
	}
	all, some := map[string]string{}, map[string]string{}
	for key, text := range object.Data {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			n.Fatal(err)
		}
		all[key] = string(decoded)
	}
	for _, item := range v.Secret.Items {
		some[item.Path] = all[item.Key]
	}
	if len(v.Secret.Items) == 0 {
		return all
	}
	return some
}

// report writes the status of a pod that runs.
func (n *nodes) report(p *podObject, r *runningPod) {
	n.Helper()
	n.call("PATCH", corePath+"/pods/"+p.Metadata.Name+"/status", mergePatch, map[string]any{"status": map[string]any{
		"phase": "Running", "podIP": r.addr, "podIPs": []map[string]string{{"ip": r.addr}},
		"conditions": []map[string]string{
			condition("PodScheduled", true), condition("Initialized", true),
			condition("ContainersReady", r.ready), condition("Ready", r.ready),
		},
	}}, nil)
}

// stop ends a pod that was deleted: its program is asked to drain, and the pod is gone when
// it has ended.
func (n *nodes) stop(p *podObject) {
	n.Helper()
	if r := n.running[p.Metadata.UID]; r != nil {
		r.Signal(syscall.SIGTERM)
		if code := r.Exit(2 * time.Minute); code != 0 {
			n.Errorf("%s ended with status %d", p.Metadata.Name, code)
		}
		delete(n.running, p.Metadata.UID)
	}
	err := n.api.call(n.Context(), "DELETE", corePath+"/pods/"+p.Metadata.Name, plain, map[string]any{
		"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
		"preconditions": map[string]string{"uid": p.Metadata.UID},
	}, nil)
	if err != nil && !refused(err, http.StatusNotFound) {
		n.Fatal(err)
	}
}
