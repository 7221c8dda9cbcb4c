package main

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/json"
)

// object is one decoded object of the API.
type object struct {
	kind, name, namespace string
	text                  []byte
	value                 any
}

// kinds are the types that the manifests use; another one has to be added here. Read-only.
var kinds = map[string]func() metav1.Object{
	"v1/Namespace":                           func() metav1.Object { return &corev1.Namespace{} },
	"v1/Service":                             func() metav1.Object { return &corev1.Service{} },
	"v1/Secret":                              func() metav1.Object { return &corev1.Secret{} },
	"v1/ConfigMap":                           func() metav1.Object { return &corev1.ConfigMap{} },
	"apps/v1/StatefulSet":                    func() metav1.Object { return &appsv1.StatefulSet{} },
	"apps/v1/Deployment":                     func() metav1.Object { return &appsv1.Deployment{} },
	"policy/v1/PodDisruptionBudget":          func() metav1.Object { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy":     func() metav1.Object { return &networkingv1.NetworkPolicy{} },
	"autoscaling/v2/HorizontalPodAutoscaler": func() metav1.Object { return &autoscalingv2.HorizontalPodAutoscaler{} },
}

func decode(text []byte) (object, error) {
	var head metav1.TypeMeta
	if err := json.UnmarshalCaseSensitivePreserveInts(text, &head); err != nil {
		return object{}, err
	}
	make, known := kinds[head.APIVersion+"/"+head.Kind]
	if !known {
		return object{}, fmt.Errorf("%s %s is not among the kinds that are checked", head.APIVersion, head.Kind)
	}
	value := make()
	strict, err := json.UnmarshalStrict(text, value)
	if err != nil {
		return object{}, err
	}
	if len(strict) > 0 {
		return object{}, errors.Join(strict...)
	}
	return object{kind: head.Kind, name: value.GetName(), namespace: value.GetNamespace(), text: text, value: value}, nil
}
