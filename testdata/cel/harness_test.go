package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const policies = "testdata/policies.yaml"

// verdictsOf applies the policies to requests, one a line.
func verdictsOf(t *testing.T, r release, stream, requests string) []verdict {
	t.Helper()
	kinds, err := newKinds("")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run([]byte(stream), r, kinds, strings.NewReader(requests), &out); err != nil {
		t.Fatal(err)
	}
	var verdicts []verdict
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var next verdict
		if err := decoder.Decode(&next); err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, next)
	}
	return verdicts
}

// decisionOf returns the verdict of one policy of testdata/policies.yaml, by both releases.
func decisionOf(t *testing.T, policy, request string) verdict {
	t.Helper()
	stream := read(t, policies)
	one := func(r release) verdict {
		verdicts := verdictsOf(t, r, stream, request)
		i := slices.IndexFunc(verdicts, func(v verdict) bool { return v.Policy == policy })
		if i < 0 {
			t.Fatalf("no verdict of %s: %+v", policy, verdicts)
		}
		return verdicts[i]
	}
	old, current := one(oldest), one(newest)
	if old.Decision != current.Decision {
		t.Errorf("1.30: %+v; newest: %+v", old, current)
	}
	return current
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func inferenceService(predictor string) string {
	return `{"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "a"},
		"spec": {"predictor": ` + predictor + `}}`
}

func node(taints ...string) string {
	return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {"taints": [` +
		strings.Join(taints, ",") + `]}}`
}

func TestViolation(t *testing.T) {
	object := inferenceService(`{"tolerations": [{"key": "gpu", "operator": "Exists", "value": "x"}]}`)
	v := decisionOf(t, "toleration-with-value", `{"id": "1", "object": `+object+`}`)
	if v.Decision != violation || v.Messages[0] != "toleration of 'gpu' has operator Exists, so it cannot have a value" ||
		v.Cost == 0 || len(v.Actions) != 2 || v.Actions[0] != "Deny" {
		t.Errorf("%+v", v)
	}
}

func TestMatching(t *testing.T) {
	object := inferenceService(`{"tolerations": [{"key": "gpu", "operator": "Exists", "value": "x"}]}`)
	v := decisionOf(t, "toleration-with-value", `{"namespace": {"name": "kube-system"}, "object": `+object+`}`)
	if v.Decision != notMatched {
		t.Errorf("in a system namespace: %+v", v)
	}
	object = strings.Replace(object, "predictor", "other", 1)
	v = decisionOf(t, "toleration-with-value", `{"object": `+object+`}`)
	if v.Decision != notMatched || v.Condition != "has-predictor" {
		t.Errorf("by a matchCondition: %+v", v)
	}
}

func TestParams(t *testing.T) {
	request := `{"object": ` + inferenceService(`{"affinity": {}}`) + `}`
	if v := decisionOf(t, "affinity-disabled", request); v.Decision != admit {
		t.Errorf("with the fact: %+v", v)
	}
	stream := strings.Replace(read(t, policies), "podspec-affinity: enabled", "podspec-affinity: disabled", 1)
	if v := verdictsOf(t, newest, stream, request)[1]; v.Decision != violation || v.Messages[0] != "affinity is disabled" {
		t.Errorf("with another fact: %+v", v)
	}
	_, stream, _ = strings.Cut(read(t, policies), "---")
	if v := verdictsOf(t, newest, stream, request)[1]; v.Decision != notMatched {
		t.Errorf("without the ConfigMap: %+v", v)
	}
}

func TestCostLimit(t *testing.T) {
	containers := make([]string, 100)
	for i := range containers {
		containers[i] = fmt.Sprintf(`{"name": "c-%d", "image": "i"}`, i)
	}
	pod := `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [%s]}}`
	v := decisionOf(t, "expensive", `{"object": `+fmt.Sprintf(pod, strings.Join(containers[:2], ","))+`}`)
	if v.Decision != admit || v.Cost == 0 {
		t.Errorf("two containers: %+v", v)
	}
	v = decisionOf(t, "expensive", `{"object": `+fmt.Sprintf(pod, strings.Join(containers, ","))+`}`)
	if v.Decision != failed || !strings.Contains(v.Messages[0], "cost limit exceeded") {
		t.Errorf("many containers: %+v", v)
	}
}

func TestUpdate(t *testing.T) {
	gpu, other := `{"key": "gpu", "effect": "NoSchedule"}`, `{"key": "other", "effect": "NoSchedule"}`
	if v := decisionOf(t, "node-taint", `{"object": `+node(gpu)+`}`); v.Decision != violation {
		t.Errorf("created: %+v", v)
	}
	v := decisionOf(t, "node-taint", `{"operation": "UPDATE", "oldObject": `+node(gpu)+`, "object": `+node(gpu, other)+`}`)
	if v.Decision != admit {
		t.Errorf("violated before: %+v", v)
	}
	v = decisionOf(t, "node-taint", `{"operation": "UPDATE", "oldObject": `+node(other)+`, "object": `+node(gpu)+`}`)
	if v.Decision != violation {
		t.Errorf("not violated before: %+v", v)
	}
}

func TestRejected(t *testing.T) {
	for _, object := range []string{
		`{"apiVersion": "v9", "kind": "Unknown"}`,
		`{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": "none"}}`,
	} {
		v := verdictsOf(t, newest, read(t, policies), `{"id": "1", "object": `+object+`}`)
		if len(v) != 1 || v[0].Decision != rejected || v[0].ID != "1" {
			t.Errorf("%s: %+v", object, v)
		}
	}
}

func TestCheck(t *testing.T) {
	stream := read(t, policies)
	for name, test := range map[string]struct{ from, to, want string }{
		"valid":              {"", "", "9 objects, "},
		"unknown field":      {"policyName: node-taint", "policyName: node-taint, binding: x", "unknown field"},
		"name":               {"{name: expensive}", "{name: Expensive}", "a lowercase RFC 1123 subdomain"},
		"action":             {"[Deny, Audit]", "[Deny, Warn]", "must not contain both Deny and Warn"},
		"syntax of CEL":      {"has(object.spec.predictor)", "has(object.spec.predictor", "Syntax error"},
		"type of CEL":        {"size(variables.wrong) == 0", "size(variables.wrong)", "must evaluate to bool"},
		"newer CEL":          {"size(variables.wrong) == 0", "variables.wrong.distinct().all(i, t, t == i)", "undeclared reference"},
		"type of the field":  {"a.name + b.name", "a.nam + b.name", "undefined field 'nam'"},
		"type in a variable": {"? [] : oldObject.?spec", "? [] : oldObject.?specs", "undefined field 'specs'"},
		"reference":          {"policyName: expensive", "policyName: cheap", "there is no policy 'cheap'"},
		"repeated key":       {"  failurePolicy: Ignore", "  failurePolicy: Ignore\n  failurePolicy: Fail", "already set"},
	} {
		t.Run(name, func(t *testing.T) {
			kinds, err := newKinds("")
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err = check([]byte(strings.Replace(stream, test.from, test.to, 1)), kinds, typeOptions{variables: true}, &out)
			if (err == nil) != (name == "valid") {
				t.Errorf("error %v", err)
			}
			if said := out.String() + fmt.Sprint(err); !strings.Contains(said, test.want) {
				t.Errorf("no %q in:\n%s", test.want, said)
			}
		})
	}
}
