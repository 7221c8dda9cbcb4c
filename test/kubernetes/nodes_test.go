package kubernetes

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The namespace of the pods that run, and what every object's path there begins with.
const (
	namespace = "first"
	corePath  = "/api/v1/namespaces/" + namespace
)

// podObject is a pod of the API server; of it only what is read here.
type podObject struct {
	Metadata struct {
		Name, UID, DeletionTimestamp string
		Labels                       map[string]string
	}
	Spec struct {
		NodeName                  string
		NodeSelector              map[string]string
		Tolerations               []toleration
		TopologySpreadConstraints []spread
		Containers                []container
		Volumes                   []volume
	}
	Status struct {
		PodIP      string
		Conditions []struct{ Type, Status string }
	}
}

type toleration struct{ Key, Operator, Effect string }

type spread struct {
	MaxSkew       int
	TopologyKey   string
	LabelSelector struct{ MatchLabels map[string]string }
}

type nodeObject struct {
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Unschedulable bool
		Taints        []struct{ Key, Value, Effect string }
	}
}

// ready is the pod's condition, as the API server has it.
func (p *podObject) ready() bool {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "True"
		}
	}
	return false
}

// app is the name that the pod's workload, Service and policies share.
func (p *podObject) app() string { return p.Metadata.Labels["app.kubernetes.io/name"] }

// nodes plays what a cluster has besides its API server and controllers: the scheduler, and on
// each node a kubelet and a kube-proxy.
type nodes struct {
	*testing.T
	api *api
	// names are the addresses of names that programs dial, as the cluster's DNS has them.
	names map[string]string
	// may reports whether a pod may be scheduled.
	may     func(p *podObject) bool
	running map[string]*runningPod // by the pod's UID
	volumes string                 // the directories of claims are in it
	started int
}

// call asks the API server and ends the test unless it agrees.
func (n *nodes) call(method, path, kind string, in, out any) {
	n.Helper()
	if err := n.api.call(n.Context(), method, path, kind, in, out); err != nil {
		n.Fatal(err)
	}
}

// pods are those of the namespace that a label selector fits, all for "", by their names.
func (n *nodes) pods(selector string) []podObject {
	n.Helper()
	var list struct{ Items []podObject }
	n.call("GET", corePath+"/pods?labelSelector="+selector, "", nil, &list)
	slices.SortFunc(list.Items, func(a, b podObject) int { return cmp.Compare(a.Metadata.Name, b.Metadata.Name) })
	return list.Items
}

// of are the pods of a workload.
func (n *nodes) of(app string) []podObject {
	n.Helper()
	return n.pods("app.kubernetes.io/name%3D" + app)
}

// until lets scheduler and kubelets work until a condition holds.
func (n *nodes) until(what string, limit time.Duration, holds func() bool) {
	n.Helper()
	late := time.After(limit)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n.step(); !holds(); n.step() {
		select {
		case <-tick.C:
		case <-late:
			for _, p := range n.pods("") {
				n.Logf("%s on %q at %q: %v", p.Metadata.Name, p.Spec.NodeName, p.Status.PodIP, p.Status.Conditions)
			}
			n.Fatalf("not within %[2]v: %[1]s", what, limit)
		}
	}
}

// step is one round of the scheduler and of every kubelet.
func (n *nodes) step() {
	n.Helper()
	all := n.pods("")
	for i := range all {
		switch p := &all[i]; {
		case p.Metadata.DeletionTimestamp != "":
			n.stop(p)
		case p.Spec.NodeName != "":
			n.run(p)
		case n.may(p):
			n.schedule(p, all)
		}
	}
}

// schedule binds a pod to the node that its spread constraint asks for, of those where
// it may run: the one with the fewest pods that the constraint counts.
func (n *nodes) schedule(p *podObject, all []podObject) {
	n.Helper()
	var list struct{ Items []nodeObject }
	n.call("GET", "/api/v1/nodes", "", nil, &list)
	best, least := -1, 0
	for i := range list.Items {
		if count := counted(p, &list.Items[i], all); list.Items[i].takes(p) && (best < 0 || count < least) {
			best, least = i, count
		}
	}
	if best < 0 {
		return
	}
	p.Spec.NodeName = list.Items[best].Metadata.Name
	n.call("POST", corePath+"/pods/"+p.Metadata.Name+"/binding", plain, map[string]any{
		"apiVersion": "v1", "kind": "Binding", "metadata": map[string]any{"name": p.Metadata.Name},
		"target": map[string]any{"apiVersion": "v1", "kind": "Node", "name": p.Spec.NodeName},
	}, nil)
}

// counted is how many pods on a node the spread constraint of a pod counts.
func counted(p *podObject, on *nodeObject, all []podObject) (count int) {
	for _, s := range p.Spec.TopologySpreadConstraints {
		for i := range all {
			if all[i].Spec.NodeName == on.Metadata.Name && all[i].Metadata.DeletionTimestamp == "" &&
				includes(all[i].Metadata.Labels, s.LabelSelector.MatchLabels) {
				count++
			}
		}
	}
	return count
}

// takes reports whether a pod may run on the node.
func (o *nodeObject) takes(p *podObject) bool {
	for _, taint := range o.Spec.Taints {
		if !slices.ContainsFunc(p.Spec.Tolerations, func(t toleration) bool {
			return t.Key == taint.Key && t.Operator == "Exists" && (t.Effect == "" || t.Effect == taint.Effect)
		}) {
			return false
		}
	}
	return !o.Spec.Unschedulable && includes(o.Metadata.Labels, p.Spec.NodeSelector)
}

func includes(labels, wanted map[string]string) bool {
	for k, v := range wanted {
		if labels[k] != v {
			return false
		}
	}
	return true
}

// register makes a node of the cluster, with GPUs or without.
func (n *nodes) register(name string, cards bool) {
	n.Helper()
	labels, taints := map[string]string{"kubernetes.io/hostname": name}, []map[string]string{}
	if cards {
		labels["nvidia.com/gpu.present"] = "true"
		taints = append(taints, map[string]string{"key": "nvidia.com/gpu", "effect": "NoSchedule"})
	}
	n.call("POST", "/api/v1/nodes", plain, map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name, "labels": labels},
	}, nil)
	// The API server begins a node as not ready, with a taint; its kubelet is here at once.
	n.call("PATCH", "/api/v1/nodes/"+name, mergePatch, map[string]any{"spec": map[string]any{"taints": taints}}, nil)
	n.call("PATCH", "/api/v1/nodes/"+name+"/status", mergePatch, map[string]any{"status": map[string]any{
		"conditions": []map[string]string{condition("Ready", true)},
	}}, nil)
}

// condition is one of an object's status.
func condition(kind string, holds bool) map[string]string {
	status := map[bool]string{true: "True", false: "False"}[holds]
	return map[string]string{"type": kind, "status": status, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}
}

// provide makes volumes for claims of 10Gi, as an administrator does who has no
// provisioner.
func (n *nodes) provide(names ...string) {
	n.Helper()
	for _, name := range names {
		n.call("POST", "/api/v1/persistentvolumes", plain, map[string]any{
			"apiVersion": "v1", "kind": "PersistentVolume", "metadata": map[string]any{"name": name},
			"spec": map[string]any{
				"capacity": map[string]string{"storage": "10Gi"}, "accessModes": []string{"ReadWriteOnce"},
				"hostPath": map[string]string{"path": filepath.Join("/", name)},
			},
		}, nil)
	}
}

// words are the replacements of names that are dialed by their addresses.
func (n *nodes) words() (pairs []string) {
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		pairs = append(pairs, name+":", n.names[name]+":")
	}
	return pairs
}
