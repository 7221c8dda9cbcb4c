package main

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
)

// workload is what has pods.
type workload struct {
	object
	selector *metav1.LabelSelector
	pod      corev1.PodTemplateSpec
	claims   []corev1.PersistentVolumeClaim
}

// problems returns what the types let through and a cluster would not, or would let
// through and not do.
func problems(objects []object, elsewhere []string) (out []string) {
	pods := workloads(objects)
	for _, o := range objects {
		for _, p := range validation.IsDNS1123Subdomain(o.name) {
			out = append(out, fmt.Sprintf("%s %q: %s", o.kind, o.name, p))
		}
		switch v := o.value.(type) {
		case *corev1.Service:
			out = append(out, service(v, pods)...)
		case *policyv1.PodDisruptionBudget:
			out = append(out, budget(v, pods)...)
		case *networkingv1.NetworkPolicy:
			out = append(out, policy(v, pods)...)
		case *autoscalingv2.HorizontalPodAutoscaler:
			out = append(out, autoscaler(v, pods)...)
		}
	}
	for _, w := range pods {
		out = append(out, w.problems(objects, elsewhere)...)
	}
	return out
}

func workloads(objects []object) (all []workload) {
	for _, o := range objects {
		switch v := o.value.(type) {
		case *appsv1.Deployment:
			all = append(all, workload{o, v.Spec.Selector, v.Spec.Template, nil})
		case *appsv1.StatefulSet:
			all = append(all, workload{o, v.Spec.Selector, v.Spec.Template, v.Spec.VolumeClaimTemplates})
		}
	}
	return all
}

func selected(by *metav1.LabelSelector, pods []workload) (out []workload) {
	s, err := metav1.LabelSelectorAsSelector(by)
	if err != nil {
		return nil
	}
	for _, w := range pods {
		if s.Matches(labels.Set(w.pod.Labels)) {
			out = append(out, w)
		}
	}
	return out
}

func service(s *corev1.Service, pods []workload) (out []string) {
	found := selected(&metav1.LabelSelector{MatchLabels: s.Spec.Selector}, pods)
	if len(found) != 1 {
		return []string{s.Name + ": the service selects no workload, or several"}
	}
	for _, p := range s.Spec.Ports {
		if !found[0].hasPort(p.TargetPort.StrVal) {
			out = append(out, fmt.Sprintf("%s: no container has the port %s", s.Name, p.TargetPort.String()))
		}
	}
	return out
}

// budget returns what is wrong with a disruption budget. One that never lets a pod go keeps a
// node of the cluster from being emptied.
func budget(b *policyv1.PodDisruptionBudget, pods []workload) []string {
	found := selected(b.Spec.Selector, pods)
	if len(found) != 1 {
		return []string{b.Name + ": the budget selects no workload, or several"}
	}
	if (b.Spec.MinAvailable == nil) == (b.Spec.MaxUnavailable == nil) {
		return []string{b.Name + ": a budget has one of minAvailable and maxUnavailable"}
	}
	replicas, mayGo := found[0].replicas(), 0
	if most := b.Spec.MaxUnavailable; most != nil {
		mayGo, _ = intstr.GetScaledValueFromIntOrPercent(most, replicas, true)
	} else {
		least, _ := intstr.GetScaledValueFromIntOrPercent(b.Spec.MinAvailable, replicas, true)
		mayGo = replicas - least
	}
	if mayGo < 1 {
		return []string{b.Name + ": the budget lets no pod go, so that no node can be emptied"}
	}
	return nil
}

// replicas returns how many pods there are; an autoscaler's workload has one at least.
func (w workload) replicas() int {
	var n *int32
	switch v := w.value.(type) {
	case *appsv1.Deployment:
		n = v.Spec.Replicas
	case *appsv1.StatefulSet:
		n = v.Spec.Replicas
	}
	if n == nil {
		return 1
	}
	return int(*n)
}

// policy returns what is wrong with a network policy.
func policy(n *networkingv1.NetworkPolicy, pods []workload) (out []string) {
	found := selected(&n.Spec.PodSelector, pods)
	if len(found) != 1 {
		return []string{n.Name + ": the network policy selects no workload, or several"}
	}
	for _, rule := range n.Spec.Ingress {
		for _, p := range rule.Ports {
			if p.Port == nil || !found[0].hasPort(p.Port.StrVal) {
				out = append(out, n.Name+": the network policy opens a port that no container has")
			}
		}
	}
	return out
}

func autoscaler(h *autoscalingv2.HorizontalPodAutoscaler, pods []workload) []string {
	for _, w := range pods {
		if d, ok := w.value.(*appsv1.Deployment); ok && w.kind == h.Spec.ScaleTargetRef.Kind &&
			w.name == h.Spec.ScaleTargetRef.Name {
			if d.Spec.Replicas != nil {
				return []string{h.Name + ": the deployment says how many replicas there are, which the autoscaler is for"}
			}
			return nil
		}
	}
	return []string{h.Name + ": there is nothing of that name to scale"}
}

// problems returns those of one workload.
func (w workload) problems(objects []object, elsewhere []string) (out []string) {
	say := func(format string, a ...any) { out = append(out, w.name+": "+fmt.Sprintf(format, a...)) }
	if len(selected(w.selector, []workload{w})) != 1 {
		say("its selector does not match its own pods")
	}
	volumes := map[string]bool{}
	for _, v := range w.pod.Spec.Volumes {
		volumes[v.Name] = true
		switch {
		case v.Secret != nil && !slices.Contains(elsewhere, v.Secret.SecretName) && !exists(objects,
			"Secret", v.Secret.SecretName):
			say("there is no secret %s", v.Secret.SecretName)
		case v.ConfigMap != nil && !exists(objects, "ConfigMap", v.ConfigMap.Name):
			say("there is no config map %s", v.ConfigMap.Name)
		}
	}
	for _, c := range w.claims {
		volumes[c.Name] = true
	}
	for _, c := range w.pod.Spec.Containers {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				say("container %s mounts %s, which is no volume", c.Name, m.Name)
			}
		}
		for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if p != nil && (p.HTTPGet == nil || !w.hasPort(p.HTTPGet.Port.StrVal)) {
				say("a probe of container %s names no port of it", c.Name)
			}
		}
		if c.SecurityContext == nil || c.SecurityContext.AllowPrivilegeEscalation == nil ||
			*c.SecurityContext.AllowPrivilegeEscalation {
			say("container %s may gain privileges", c.Name)
		}
		if c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			say("container %s has no bound on its memory", c.Name)
		}
	}
	if w.pod.Spec.TerminationGracePeriodSeconds == nil ||
		time.Duration(*w.pod.Spec.TerminationGracePeriodSeconds)*time.Second < time.Minute {
		say("its pods get no time to drain")
	}
	return out
}

func (w workload) hasPort(name string) bool {
	for _, c := range w.pod.Spec.Containers {
		for _, p := range c.Ports {
			if p.Name == name {
				return true
			}
		}
	}
	return false
}

// exists reports whether an object of the name is among them.
func exists(objects []object, kind, name string) bool {
	for _, o := range objects {
		if o.kind == kind && o.name == name {
			return true
		}
	}
	return false
}
