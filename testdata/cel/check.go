package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
)

// maxStreamBytes is the limit of issue 33 for all policies together.
const maxStreamBytes = 400 * 1000

// typeOptions say what is type-checked besides what the newest API server checks.
type typeOptions struct {
	variables bool
	openapi   string // directory of publishedTypes
}

// check prints what the API server says about each object of the stream, and the size of the stream.
func check(data []byte, kinds *kinds, types typeOptions, out io.Writer) error {
	if err := validateAs(oldest); err != nil {
		return err
	}
	problems := 0
	report := func(format string, arguments ...any) {
		problems++
		fmt.Fprintf(out, format+"\n", arguments...)
	}
	documents, err := readDocuments(data)
	if err != nil {
		return err
	}
	for i := range documents {
		for _, problem := range problemsOf(&documents[i], kinds, types) {
			report("%s: %s", &documents[i], problem)
		}
	}
	if loaded, err := loadStream(data); err == nil {
		for _, problem := range danglingReferences(loaded) {
			report("%s", problem)
		}
	}
	if len(data) >= maxStreamBytes {
		report("the stream is too large: %d bytes, at most %d", len(data), maxStreamBytes)
	}
	fmt.Fprintf(out, "%d objects, %d bytes, %d problems\n", len(documents), len(data), problems)
	if problems > 0 {
		return errProblems
	}
	return nil
}

// problemsOf lists why the API server rejects the object, changes it, or warns about it.
func problemsOf(d *document, kinds *kinds, types typeOptions) []string {
	if d.problem != nil {
		return []string{d.problem.Error()}
	}
	var problems []string
	changed, err := changedByEncoding(d)
	if err != nil {
		problems = append(problems, err.Error())
	}
	slices.Sort(changed)
	for _, path := range changed {
		problems = append(problems, "decoding and encoding changes "+path)
	}
	problems = append(problems, rejections(d.object, kinds)...)
	if policy, ok := d.object.(*admissionv1.ValidatingAdmissionPolicy); ok {
		for _, checker := range kinds.typeCheckers(types.openapi) {
			problems = append(problems, typeWarnings(policy, checker, types.variables)...)
		}
		for _, release := range []release{oldest, newest} {
			compiled, err := compile(policy, release)
			if err != nil {
				problems = append(problems, err.Error())
				continue
			}
			for _, err := range compiled.errors {
				problems = append(problems, fmt.Sprintf("CEL of Kubernetes %s: %v", release.name, err))
			}
		}
	}
	return problems
}

// typeWarnings lists what the API server writes into the status of a policy and, on request, type errors in variables,
// which it does not report: a variable that has one is untyped.
func typeWarnings(policy *admissionv1.ValidatingAdmissionPolicy, checker *validating.TypeChecker, variables bool) []string {
	var problems []string
	for _, warning := range checker.Check(policy) {
		problems = append(problems, fmt.Sprintf("warning: %s: %s", warning.FieldRef, warning.Warning))
	}
	if !variables {
		return problems
	}
	checking := checker.CreateContext(policy)
	for _, variable := range policy.Spec.Variables {
		if results := checker.CheckExpression(checking, variable.Expression); len(results) > 0 {
			problems = append(problems, fmt.Sprintf("variable %s: %s", variable.Name, results))
		}
	}
	return problems
}

// rejections lists what the registry of the API server reports when the object is created, warnings included.
func rejections(object runtime.Object, kinds *kinds) []string {
	internal, err := toInternal(object)
	if err != nil {
		return []string{err.Error()}
	}
	var strategy rest.RESTCreateStrategy
	ctx := genericapirequest.WithNamespace(context.Background(), metav1.NamespaceNone)
	switch object := object.(type) {
	case *admissionv1.ValidatingAdmissionPolicy:
		strategy = validatingadmissionpolicy.NewStrategy(nil, kinds)
	case *admissionv1.ValidatingAdmissionPolicyBinding:
		strategy = validatingadmissionpolicybinding.NewStrategy(nil, nil, kinds)
	case *corev1.ConfigMap:
		strategy = configmap.Strategy
		ctx = genericapirequest.WithNamespace(ctx, object.Namespace)
	}
	ctx = genericapirequest.WithRequestInfo(ctx, requestInfo(object))
	// As the registry's store does before it calls BeforeCreate.
	accessor, err := meta.Accessor(internal)
	if err != nil {
		return []string{err.Error()}
	}
	rest.FillObjectMetaSystemFields(accessor)
	if err := rest.BeforeCreate(strategy, ctx, internal); err != nil {
		status, ok := err.(apierrors.APIStatus)
		if !ok || status.Status().Details == nil {
			return []string{err.Error()}
		}
		var messages []string
		for _, cause := range status.Status().Details.Causes {
			messages = append(messages, fmt.Sprintf("%s: %s", cause.Field, cause.Message))
		}
		return messages
	}
	return strategy.WarningsOnCreate(ctx, internal)
}

// requestInfo says which version of the API the request uses; declarative validation reads it.
func requestInfo(object runtime.Object) *genericapirequest.RequestInfo {
	gvk := object.GetObjectKind().GroupVersionKind()
	return &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: gvk.Group, APIVersion: gvk.Version,
	}
}

// danglingReferences lists bindings of policies that are not in the stream, policies without a binding, which have no
// effect, and params that are not in the stream.
func danglingReferences(s *stream) []string {
	var problems []string
	report := func(format string, arguments ...any) { problems = append(problems, fmt.Sprintf(format, arguments...)) }
	bound := map[string]bool{}
	for _, policy := range s.policies {
		bound[policy.Name] = false
	}
	for _, binding := range s.bindings {
		if _, known := bound[binding.Spec.PolicyName]; !known {
			report("binding '%s': there is no policy '%s'", binding.Name, binding.Spec.PolicyName)
		}
		bound[binding.Spec.PolicyName] = true
		ref := binding.Spec.ParamRef
		if ref != nil && ref.Name != "" && !slices.ContainsFunc(s.params, func(param *corev1.ConfigMap) bool {
			return param.Name == ref.Name && param.Namespace == ref.Namespace
		}) {
			report("binding '%s': there is no ConfigMap '%s/%s'", binding.Name, ref.Namespace, ref.Name)
		}
	}
	for _, policy := range s.policies {
		if !bound[policy.Name] {
			report("policy '%s' has no binding", policy.Name)
		}
	}
	return problems
}
