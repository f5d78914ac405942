package main

import (
	"context"
	"fmt"
	"strings"

	admissionreview "k8s.io/api/admission/v1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/util/compatibility"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

// release is a release of Kubernetes whose CEL environment is used.
type release struct {
	name string
	// When a policy is created, only what the release before has may be used, so that a cluster can go back.
	creation *version.Version
	// Stored policies are evaluated with everything that the release has.
	evaluation *version.Version
	mode       environment.Type
}

var (
	oldest = release{"1.30", version.MajorMinor(1, 29), version.MajorMinor(1, 30), environment.NewExpressions}
	newest = newestRelease()
)

func newestRelease() release {
	built := version.MustParse(baseversion.DefaultKubeBinaryVersion)
	return release{"newest", built.SubtractMinor(1), built, environment.StoredExpressions}
}

func releaseNamed(name string) (release, error) {
	for _, candidate := range []release{oldest, newest} {
		if candidate.name == name {
			return candidate, nil
		}
	}
	return release{}, fmt.Errorf("no release '%s': %s or %s", name, oldest.name, newest.name)
}

// validateAs sets the release whose rules hold for new policies. Call it before the first validation: the API server's
// code keeps its compilers.
func validateAs(r release) error {
	effective, ok := compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(
		basecompatibility.DefaultKubeComponent).(basecompatibility.MutableEffectiveVersion)
	if !ok {
		return fmt.Errorf("the version of the API server's code cannot be set")
	}
	effective.SetMinCompatibilityVersion(r.creation)
	return nil
}

// compiledPolicy is a policy with what its evaluation cost and which of its expressions failed.
type compiledPolicy struct {
	definition *admissionv1.ValidatingAdmissionPolicy
	validator  validating.Validator
	errors     []error // of compilation

	conditions, validations, messages *meter
}

// compile does what compilePolicy of the API server's plugin does (package validating), for a given release, and puts
// meters between its parts.
func compile(policy *admissionv1.ValidatingAdmissionPolicy, r release) (*compiledPolicy, error) {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(r.evaluation))
	if err != nil {
		return nil, err
	}
	compiled := &compiledPolicy{definition: policy}
	spec := &policy.Spec
	withAuthorizer := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	withoutAuthorizer := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil}
	for _, variable := range spec.Variables {
		accessor := &validating.Variable{Name: variable.Name, Expression: variable.Expression}
		if result := compiler.CompileAndStoreVariable(accessor, withAuthorizer, r.mode); result.Error != nil {
			compiled.errors = append(compiled.errors, fmt.Errorf("variable %s: %w", variable.Name, result.Error))
		}
	}
	metered := func(what string, expressions []cel.ExpressionAccessor,
		variables cel.OptionalVariableDeclarations) *meter {
		evaluator := compiler.CompileCondition(expressions, variables, r.mode)
		for _, err := range evaluator.CompilationErrors() {
			compiled.errors = append(compiled.errors, fmt.Errorf("%s: %w", what, err))
		}
		return &meter{ConditionEvaluator: evaluator}
	}
	var conditions, validations, annotations []cel.ExpressionAccessor
	messages := make([]cel.ExpressionAccessor, len(spec.Validations))
	for i := range spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&spec.MatchConditions[i]))
	}
	for i, validation := range spec.Validations {
		validations = append(validations, &validating.ValidationCondition{
			Expression: validation.Expression, Message: validation.Message, Reason: validation.Reason,
		})
		if validation.MessageExpression != "" {
			messages[i] = &validating.MessageExpressionCondition{MessageExpression: validation.MessageExpression}
		}
	}
	for _, annotation := range spec.AuditAnnotations {
		annotations = append(annotations, &validating.AuditAnnotationCondition{
			Key: annotation.Key, ValueExpression: annotation.ValueExpression,
		})
	}
	var matcher matchconditions.Matcher
	compiled.conditions = metered("matchConditions", conditions, withAuthorizer)
	if len(conditions) > 0 {
		matcher = matchconditions.NewMatcher(compiled.conditions, spec.FailurePolicy, "policy", "validate", policy.Name)
	}
	compiled.validations = metered("validations", validations, withAuthorizer)
	compiled.messages = metered("messageExpression", messages, withoutAuthorizer)
	compiled.validator = validating.NewValidator(compiled.validations, matcher,
		metered("auditAnnotations", annotations, withAuthorizer), compiled.messages, spec.FailurePolicy, nil)
	return compiled, nil
}

// meter passes evaluations on and remembers what they returned and cost, which the API server's validator does not
// tell.
type meter struct {
	cel.ConditionEvaluator
	results []cel.EvaluationResult
	err     error
	called  bool
	cost    int64
}

func (m *meter) ForInput(ctx context.Context, attributes *admission.VersionedAttributes,
	request *admissionreview.AdmissionRequest, variables cel.OptionalVariableBindings, namespace *corev1.Namespace,
	budget int64) ([]cel.EvaluationResult, int64, error) {
	results, left, err := m.ConditionEvaluator.ForInput(ctx, attributes, request, variables, namespace, budget)
	m.results, m.err, m.called = results, err, true
	m.cost += budget - max(left, 0)
	return results, left, err
}

func (m *meter) reset() { *m = meter{ConditionEvaluator: m.ConditionEvaluator} }

// failures lists the errors of the last evaluation.
func (m *meter) failures() []string {
	var failures []string
	if m.err != nil {
		failures = append(failures, m.err.Error())
	}
	for _, result := range m.results {
		if result.Error != nil {
			failures = append(failures, oneLine(result.Error.Error()))
		}
	}
	return failures
}

// oneLine leaves out the copy of the expression, which messages of CEL have after the first line.
func oneLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}
