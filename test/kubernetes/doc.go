// Package kubernetes tests the manifests of deploy/kubernetes: that kustomize builds
// them, that every object is what the cluster's API knows, that the node takes the options
// they give it, and that the pods find one another. Where deploy/deps has built an API server,
// they are applied to that one, with the cluster's own controllers. Scheduler, kubelet and
// kube-proxy are played: what only a cluster of machines can show is not tested.
package kubernetes
