// Package kubernetes tests the manifests of deploy/kubernetes: that kustomize builds
// them, that every object is what the cluster's API knows, and that the node takes the
// options they give it. No cluster runs here: what only one can show is not tested.
package kubernetes
