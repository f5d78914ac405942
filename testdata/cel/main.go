package main

import (
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/generated/openapi"
	_ "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
)
func main() {}
