package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	celtypes "github.com/google/cel-go/common/types"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// request is a line of the input.
type request struct {
	ID        string          `json:"id"`
	Operation string          `json:"operation"` // CREATE (default) or UPDATE
	Object    json.RawMessage `json:"object"`
	OldObject json.RawMessage `json:"oldObject"`
	Namespace struct {
		Name   string            `json:"name"` // default: that of the object, or "default"
		Labels map[string]string `json:"labels"`
	} `json:"namespace"`
	// Params replaces the ConfigMaps of the stream, for this request and the next ones.
	Params []*corev1.ConfigMap `json:"params"`
}

// Decisions of a verdict.
const (
	admit      = "admit"
	violation  = "violation"   // a validation is false
	failed     = "error"       // an expression failed, or cost too much
	notMatched = "not-matched" // the policy does not apply to the request
	rejected   = "rejected"    // the API server rejects the object before it asks policies; no policy is named
)

// verdict is a line of the output.
type verdict struct {
	ID       string                         `json:"id"`
	Policy   string                         `json:"policy,omitempty"`
	Decision string                         `json:"decision"`
	Messages []string                       `json:"messages"`
	Actions  []admissionv1.ValidationAction `json:"actions"`
	Cost     int64                          `json:"cost"`
	// Condition is the matchCondition that is false, if that is why the policy does not apply.
	Condition string `json:"condition,omitempty"`
	// Problem says why a violation has no message of its messageExpression.
	Problem string `json:"problem,omitempty"`
}

// noActions is written as [], not as null.
var noActions = []admissionv1.ValidationAction{}

// server is the part of an API server that admission needs.
type server struct {
	kinds      *kinds
	namespaces cache.Indexer
	params     cache.Indexer
	matcher    generic.PolicyMatcher
	policies   []*compiledPolicy
	bindings   map[string][]*admissionv1.ValidatingAdmissionPolicyBinding
}

func newServer(s *stream, r release, k *kinds) (*server, error) {
	index := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	out := &server{
		kinds:      k,
		namespaces: cache.NewIndexer(cache.MetaNamespaceKeyFunc, index),
		params:     cache.NewIndexer(cache.MetaNamespaceKeyFunc, index),
		bindings:   map[string][]*admissionv1.ValidatingAdmissionPolicyBinding{},
	}
	out.matcher = generic.NewPolicyMatcher(matching.NewMatcher(corelisters.NewNamespaceLister(out.namespaces), nil))
	for _, policy := range s.policies {
		compiled, err := compile(policy, r)
		if err != nil {
			return nil, err
		}
		out.policies = append(out.policies, compiled)
	}
	for _, binding := range s.bindings {
		out.bindings[binding.Spec.PolicyName] = append(out.bindings[binding.Spec.PolicyName], binding)
	}
	return out, out.setParams(s.params)
}

func (s *server) setParams(params []*corev1.ConfigMap) error {
	var all []any
	for _, param := range params {
		all = append(all, param)
	}
	return s.params.Replace(all, "")
}

func run(data []byte, r release, k *kinds, in io.Reader, out io.Writer) error {
	loaded, err := loadStream(data)
	if err != nil {
		return err
	}
	api, err := newServer(loaded, r, k)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	decoder := json.NewDecoder(in)
	for number := 1; ; number++ {
		var next request
		if err := decoder.Decode(&next); errors.Is(err, io.EOF) {
			return buffered.Flush()
		} else if err != nil {
			return fmt.Errorf("request %d: %w", number, err)
		}
		for _, line := range api.admit(&next) {
			line.Messages, line.Actions = append([]string{}, line.Messages...), append(noActions, line.Actions...)
			if err := encoder.Encode(line); err != nil {
				return err
			}
		}
	}
}

// admit applies all policies to a request, as the dispatcher of the API server's plugin does (package validating).
func (s *server) admit(r *request) []verdict {
	if r.Params != nil {
		if err := s.setParams(r.Params); err != nil {
			return []verdict{failure(err)}
		}
	}
	attributes, err := s.attributes(r)
	if err != nil {
		return []verdict{{ID: r.ID, Decision: rejected, Messages: []string{err.Error()}}}
	}
	var verdicts []verdict
	for _, policy := range s.policies {
		for _, v := range s.apply(policy, attributes) {
			v.ID, v.Policy = r.ID, policy.definition.Name
			verdicts = append(verdicts, v)
		}
	}
	return verdicts
}

func (s *server) attributes(r *request) (admission.Attributes, error) {
	operation, options := admission.Create, runtime.Object(&metav1.CreateOptions{})
	if r.Operation == string(admission.Update) {
		operation, options = admission.Update, &metav1.UpdateOptions{}
	}
	object, mapping, err := s.decode(r.Object)
	if err != nil {
		return nil, err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	namespace := ""
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		namespace = firstNonEmpty(r.Namespace.Name, accessor.GetNamespace(), metav1.NamespaceDefault)
		accessor.SetNamespace(namespace)
	}
	var old runtime.Object
	if len(r.OldObject) > 0 {
		if old, _, err = s.decode(r.OldObject); err != nil {
			return nil, err
		}
	}
	if err := s.setNamespace(namespace, r.Namespace.Labels); err != nil {
		return nil, err
	}
	return admission.NewAttributesRecord(object, old, mapping.GroupVersionKind, namespace, accessor.GetName(),
		mapping.Resource, "", operation, options, false, &user.DefaultInfo{Name: "harness"}), nil
}

// decode reads an object as the API server does before admission: objects of built-in types are defaulted and converted
// to the internal version, custom resources remain maps.
func (s *server) decode(text json.RawMessage) (runtime.Object, *meta.RESTMapping, error) {
	content := map[string]any{}
	if err := utiljson.Unmarshal(text, &content); err != nil {
		return nil, nil, err
	}
	custom := &unstructured.Unstructured{Object: content}
	gvk := custom.GroupVersionKind()
	mapping, err := s.kinds.find(gvk)
	if err != nil {
		return nil, nil, err
	}
	if s.kinds.isCustom(gvk) {
		if declared := s.kinds.custom[gvk]; declared != nil {
			err = declared.admitted(content)
		}
		return custom, mapping, err
	}
	object, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
	return object, mapping, err
}

// setNamespace makes `name` the only namespace of the cluster.
func (s *server) setNamespace(name string, labels map[string]string) error {
	if name == "" {
		return s.namespaces.Replace(nil, "")
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	maps.Copy(namespace.Labels, labels)
	namespace.Labels[corev1.LabelMetadataName] = name
	return s.namespaces.Replace([]any{namespace}, "")
}

// apply returns a verdict for each binding of the policy, at least one.
func (s *server) apply(policy *compiledPolicy, attributes admission.Attributes) []verdict {
	objects := s.kinds.objectInterfaces()
	accessor := validating.NewValidatingAdmissionPolicyAccessor(policy.definition)
	matches, resource, kind, err := s.matcher.DefinitionMatches(attributes, objects, accessor)
	if err != nil {
		return []verdict{failure(err)}
	}
	if !matches {
		return []verdict{{Decision: notMatched}}
	}
	var verdicts []verdict
	for _, binding := range s.bindings[policy.definition.Name] {
		v := s.applyBinding(policy, binding, attributes, resource, kind)
		v.Actions = binding.Spec.ValidationActions
		verdicts = append(verdicts, v)
	}
	if len(verdicts) == 0 {
		return []verdict{{Decision: notMatched, Problem: "the policy has no binding"}}
	}
	return verdicts
}

func failure(err error) verdict { return verdict{Decision: failed, Messages: []string{err.Error()}} }

func (s *server) applyBinding(policy *compiledPolicy, binding *admissionv1.ValidatingAdmissionPolicyBinding,
	attributes admission.Attributes, resource schema.GroupVersionResource, kind schema.GroupVersionKind) verdict {
	objects := s.kinds.objectInterfaces()
	accessor := validating.NewValidatingAdmissionPolicyBindingAccessor(binding)
	matches, err := s.matcher.BindingMatches(attributes, objects, accessor)
	if err != nil {
		return failure(err)
	}
	if !matches {
		return verdict{Decision: notMatched}
	}
	params, err := generic.CollectParams(policy.definition.Spec.ParamKind, storedParams{indexer: s.params},
		meta.RESTScopeNamespace, binding.Spec.ParamRef, attributes.GetNamespace(), nil, nil)
	if err != nil {
		return failure(err)
	}
	if len(params) == 0 {
		return verdict{Decision: notMatched, Problem: "there is no ConfigMap for paramRef"}
	}
	versioned, err := admission.NewVersionedAttributes(attributes, kind, objects)
	if err != nil {
		return failure(err)
	}
	var namespace *corev1.Namespace
	if name := attributes.GetNamespace(); name != "" {
		if namespace, err = s.matcher.GetNamespace(context.Background(), name); err != nil {
			return failure(err)
		}
	}
	total := verdict{Decision: notMatched}
	for _, param := range params {
		policy.conditions.reset()
		policy.validations.reset()
		policy.messages.reset()
		result := policy.validator.Validate(context.Background(), resource, versioned, param, namespace,
			celconfig.RuntimeCELCostBudget, authorizerfactory.NewAlwaysDenyAuthorizer())
		total.merge(policy.verdict(result))
	}
	return total
}

// verdict summarizes an evaluation. A failed expression is an error whatever failurePolicy says.
func (p *compiledPolicy) verdict(result validating.ValidateResult) verdict {
	v := verdict{Cost: p.conditions.cost + p.validations.cost + p.messages.cost}
	if !p.validations.called {
		v.Decision, v.Condition = notMatched, p.falseCondition()
		if v.Condition == "" {
			v.Decision, v.Messages = failed, p.conditions.failures()
		}
		return v
	}
	v.Decision = admit
	for _, decision := range result.Decisions {
		switch decision.Evaluation {
		case validating.EvalDeny:
			v.Messages = append(v.Messages, decision.Message)
			if v.Decision == admit {
				v.Decision = violation
			}
		case validating.EvalError:
			v.Messages = append(v.Messages, oneLine(decision.Message))
			v.Decision = failed
		}
	}
	if v.Decision == violation {
		v.Problem = p.messageProblem()
	}
	return v
}

func (p *compiledPolicy) falseCondition() string {
	for i, result := range p.conditions.results {
		if result.EvalResult == celtypes.False {
			return p.definition.Spec.MatchConditions[i].Name
		}
	}
	return ""
}

// messageProblem says why the API server does not use what a messageExpression returned: it failed, or the message is
// empty, too long or has several lines.
func (p *compiledPolicy) messageProblem() string {
	if failures := p.messages.failures(); len(failures) > 0 {
		return "messageExpression failed: " + failures[0]
	}
	const longest = celconfig.MaxEvaluatedMessageExpressionSizeBytes
	for i, result := range p.messages.results {
		if result.EvalResult == nil || p.validations.results[i].EvalResult == celtypes.True {
			continue
		}
		text, _ := result.EvalResult.Value().(string)
		switch {
		case text == "":
			return "messageExpression is empty"
		case len(text) > longest:
			return fmt.Sprintf("messageExpression has %d bytes, at most %d", len(text), longest)
		case oneLine(text) != text:
			return "messageExpression has several lines"
		}
	}
	return ""
}

// merge adds the verdict with other params.
func (v *verdict) merge(other verdict) {
	severity := map[string]int{notMatched: 0, admit: 1, violation: 2, failed: 3}
	if severity[other.Decision] > severity[v.Decision] {
		v.Decision = other.Decision
	}
	v.Messages = append(v.Messages, other.Messages...)
	v.Cost += other.Cost
	v.Condition = firstNonEmpty(v.Condition, other.Condition)
	v.Problem = firstNonEmpty(v.Problem, other.Problem)
}

func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// storedParams is an informer for ConfigMaps that has read them all.
type storedParams struct {
	informers.GenericInformer
	indexer cache.Indexer
}

func (p storedParams) Informer() cache.SharedIndexInformer { return syncedInformer{} }
func (p storedParams) Lister() cache.GenericLister {
	return cache.NewGenericLister(p.indexer, corev1.Resource("configmaps"))
}

type syncedInformer struct{ cache.SharedIndexInformer }

func (syncedInformer) HasSynced() bool { return true }
