package kubernetes

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// The workloads of the manifests, by the name that their objects share.
const (
	orchestrators = "tutti-orchestrator"
	transcoders   = "tutti-transcoder"
	aiWorkers     = "tutti-ai-worker"
	gateways      = "tutti-gateway"
)

// replicas are how many pods each has: the gateways as many as the autoscaler's least.
var replicas = map[string]int{orchestrators: 1, transcoders: 2, aiWorkers: 1, gateways: 2}

// toWorkers is the Service that workers dial.
const toWorkers = orchestrators + "-workers"

// TestOnARealAPIServer applies the manifests to an API server with the cluster's own
// controllers. Scheduler, kubelets and kube-proxy are played, by what the API server says:
// they run the real programs in the pods, ask their probes, and lead connections to the
// Services by the endpoint controller's lists.
func TestOnARealAPIServer(t *testing.T) {
	t.Parallel()
	dir := programs(t)
	n := &nodes{T: t, names: map[string]string{}, running: map[string]*runningPod{}, volumes: t.TempDir()}
	o := newOperator(t)
	begun := time.Now()
	n.api = startAPIServer(t, dir)
	t.Logf("the API server is ready after %v", time.Since(begun))
	for _, name := range []string{"plain-1", "plain-2"} {
		n.register(name, false)
	}
	for _, name := range []string{"cards-1", "cards-2"} {
		n.register(name, true)
	}
	n.provide("one", "two", "three")
	n.applyAll(o)
	n.refusesUnknownFields()
	n.forward()
	// The public name is the operator's own; it leads to the public Service.
	n.names["media.example.org"] = n.names[orchestrators]
	n.firstStart(transcoders)
	t.Logf("the orchestrator is ready by transcoders after %v", time.Since(begun))
	n.scale(transcoders, 0)
	n.firstStart(aiWorkers)
	t.Logf("and by AI workers after %v", time.Since(begun))
	n.scale(transcoders, replicas[transcoders])
	n.may = func(*podObject) bool { return true }
	n.allReady()
	t.Logf("all pods are ready after %v", time.Since(begun))
	n.spreads()
	n.policiesSelect()
	n.budgetHolds()
	for _, app := range []string{transcoders, orchestrators, gateways, aiWorkers} {
		n.drain(n.of(app)[0].Spec.NodeName)
		t.Logf("%s: its node is drained after %v", app, time.Since(begun))
	}
}

// firstStart has the orchestrator run alone, then one kind of worker: both become ready,
// without workers of the other kind.
func (n *nodes) firstStart(workers string) {
	n.Helper()
	n.may = func(p *podObject) bool { return p.app() == orchestrators }
	var addr string
	n.until("the orchestrator runs", time.Minute, func() bool {
		all := n.of(orchestrators)
		if len(all) == 1 {
			addr = all[0].Status.PodIP
		}
		return addr != ""
	})
	n.until("the Services list the orchestrator, for workers alone", time.Minute, func() bool {
		return n.lists(toWorkers, addr, true) && n.lists(orchestrators, addr, false)
	})
	n.until("workers reach the orchestrator", time.Minute, func() bool { return n.reaches(toWorkers) })
	if n.reaches(orchestrators) || n.of(orchestrators)[0].ready() {
		n.Error("an orchestrator without workers is open to gateways")
	}
	n.may = func(p *podObject) bool { return p.app() == orchestrators || p.app() == workers }
	n.until("the orchestrator is ready by "+workers, time.Minute, func() bool {
		return n.of(orchestrators)[0].ready() && n.lists(orchestrators, addr, true) && n.reaches(orchestrators)
	})
}

// scale sets how many pods a Deployment has.
func (n *nodes) scale(app string, to int) {
	n.Helper()
	n.call("PATCH", "/apis/apps/v1/namespaces/"+namespace+"/deployments/"+app, mergePatch, map[string]any{
		"spec": map[string]any{"replicas": to},
	}, nil)
	if to == 0 {
		n.until(app+" has no pods", time.Minute, func() bool { return len(n.of(app)) == 0 })
	}
}

// allReady waits until each workload has all its pods, and they are ready.
func (n *nodes) allReady() {
	n.Helper()
	n.until("all pods are ready", 2*time.Minute, func() bool {
		ready := map[string]int{}
		for _, p := range n.pods("") {
			if p.ready() && p.Metadata.DeletionTimestamp == "" {
				ready[p.app()]++
			}
		}
		for app, wanted := range replicas {
			if ready[app] != wanted {
				return false
			}
		}
		return true
	})
}

// spreads checks that pods are where their constraints want them: workers on nodes with
// GPUs, two of a kind on two nodes.
func (n *nodes) spreads() {
	n.Helper()
	for app, wanted := range replicas {
		var on []string
		for _, p := range n.of(app) {
			on = append(on, p.Spec.NodeName)
			cards := app == transcoders || app == aiWorkers
			if strings.HasPrefix(p.Spec.NodeName, "cards-") != cards {
				n.Errorf("%s is on %s", p.Metadata.Name, p.Spec.NodeName)
			}
		}
		slices.Sort(on)
		if on = slices.Compact(on); len(on) != wanted {
			n.Errorf("%d pods of %s are on %v", wanted, app, on)
		}
	}
}

// policiesSelect checks that each workload has a policy, which selects its pods and no
// others and names ports that they have.
func (n *nodes) policiesSelect() {
	n.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct {
				PodSelector struct{ MatchLabels map[string]string }
				Ingress     []struct{ Ports []struct{ Port string } }
			}
		}
	}
	n.call("GET", "/apis/networking.k8s.io/v1/namespaces/"+namespace+"/networkpolicies", "", nil, &list)
	if len(list.Items) != len(replicas) {
		n.Errorf("%d network policies", len(list.Items))
	}
	for _, policy := range list.Items {
		var selector []string
		for k, v := range policy.Spec.PodSelector.MatchLabels {
			selector = append(selector, k+"%3D"+v)
		}
		pods := n.pods(strings.Join(selector, ","))
		if len(pods) != replicas[policy.Metadata.Name] {
			n.Errorf("the policy %s selects %d pods", policy.Metadata.Name, len(pods))
		}
		for _, p := range pods {
			if p.app() != policy.Metadata.Name {
				n.Errorf("the policy %s selects %s", policy.Metadata.Name, p.Metadata.Name)
			}
			for _, rule := range policy.Spec.Ingress {
				for _, port := range rule.Ports {
					if !p.hasPort(port.Port) {
						n.Errorf("the policy %s opens %s, which %s does not have", policy.Metadata.Name, port.Port, p.Metadata.Name)
					}
				}
			}
		}
	}
}

func (p *podObject) hasPort(name string) bool {
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.Name == name {
				return true
			}
		}
	}
	return false
}

// budgetHolds evicts one transcoder, which the budget allows, and the other, which it does
// not until there are two again.
func (n *nodes) budgetHolds() {
	n.Helper()
	n.until("the budget lets one transcoder go", time.Minute, func() bool { return n.allowed(transcoders) == 1 })
	pods := n.of(transcoders)
	if err := n.evict(&pods[0]); err != nil {
		n.Fatal(err)
	}
	err := n.evict(&pods[1])
	if !refused(err, http.StatusTooManyRequests) || !strings.Contains(err.Error(), "disruption budget") {
		n.Errorf("a second transcoder: %v", err)
	}
	n.allReady()
	n.until("the budget lets one transcoder go again", time.Minute, func() bool { return n.allowed(transcoders) == 1 })
}

// allowed is how many pods of a workload its budget lets go now.
func (n *nodes) allowed(app string) int {
	n.Helper()
	var budget struct {
		Status struct{ DisruptionsAllowed int }
	}
	n.call("GET", "/apis/policy/v1/namespaces/"+namespace+"/poddisruptionbudgets/"+app, "", nil, &budget)
	return budget.Status.DisruptionsAllowed
}

// evict asks for a pod to go, as kubectl drain does.
func (n *nodes) evict(p *podObject) error {
	return n.api.call(n.Context(), "POST", corePath+"/pods/"+p.Metadata.Name+"/eviction", plain, map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction",
		"metadata": map[string]any{"name": p.Metadata.Name, "namespace": namespace},
	}, nil)
}

// drain empties a node of the cluster as `kubectl drain` does, and opens it again once the
// pods are ready elsewhere.
func (n *nodes) drain(node string) {
	n.Helper()
	n.cordon(node, true)
	n.until("the node "+node+" is empty", 2*time.Minute, func() bool {
		left := 0
		for _, p := range n.pods("") {
			if p.Spec.NodeName != node {
				continue
			}
			left++
			if p.Metadata.DeletionTimestamp != "" {
				continue
			}
			if err := n.evict(&p); err != nil && !refused(err, http.StatusTooManyRequests) {
				n.Fatal(err)
			}
		}
		return left == 0
	})
	n.allReady()
	n.cordon(node, false)
}

func (n *nodes) cordon(node string, closed bool) {
	n.Helper()
	n.call("PATCH", "/api/v1/nodes/"+node, mergePatch, map[string]any{
		"spec": map[string]any{"unschedulable": closed},
	}, nil)
}
