package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"sigs.k8s.io/yaml"
)

// stream is what an exported YAML stream contains, decoded and defaulted.
type stream struct {
	policies []*admissionv1.ValidatingAdmissionPolicy
	bindings []*admissionv1.ValidatingAdmissionPolicyBinding
	params   []*corev1.ConfigMap
}

// document is one document of the stream.
type document struct {
	number  int
	raw     map[string]any // as written
	object  runtime.Object // decoded and defaulted, in the version of the document
	problem error          // of decoding
}

func (d *document) String() string {
	kind, _ := d.raw["kind"].(string)
	metadata, _ := d.raw["metadata"].(map[string]any)
	return fmt.Sprintf("document %d, %s '%v'", d.number, kind, metadata["name"])
}

// strictCodecs decode as the API server does with fieldValidation=Strict: unknown and repeated fields are errors.
var strictCodecs = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

// readDocuments decodes each document of a YAML stream. Only a stream that is not YAML is an error.
func readDocuments(data []byte) ([]document, error) {
	var documents []document
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for number := 1; ; number++ {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		d := document{number: number}
		if err := yaml.UnmarshalStrict(text, &d.raw); err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		if len(d.raw) == 0 {
			continue
		}
		d.object, d.problem = decode(text)
		documents = append(documents, d)
	}
}

func decode(text []byte) (runtime.Object, error) {
	object, _, err := strictCodecs.UniversalDeserializer().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	switch object.(type) {
	case *admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding, *corev1.ConfigMap:
		legacyscheme.Scheme.Default(object)
		return object, nil
	}
	return nil, errors.New("neither ValidatingAdmissionPolicy nor ValidatingAdmissionPolicyBinding of " +
		"admissionregistration.k8s.io/v1, nor ConfigMap")
}

// loadStream decodes a stream whose documents are all valid.
func loadStream(data []byte) (*stream, error) {
	documents, err := readDocuments(data)
	if err != nil {
		return nil, err
	}
	loaded := &stream{}
	for _, d := range documents {
		switch object := d.object.(type) {
		case *admissionv1.ValidatingAdmissionPolicy:
			loaded.policies = append(loaded.policies, object)
		case *admissionv1.ValidatingAdmissionPolicyBinding:
			loaded.bindings = append(loaded.bindings, object)
		case *corev1.ConfigMap:
			if object.Namespace == "" {
				object.Namespace = metav1.NamespaceDefault
			}
			loaded.params = append(loaded.params, object)
		default:
			return nil, fmt.Errorf("%s: %w", &d, d.problem)
		}
	}
	return loaded, nil
}

// changedByEncoding lists the paths of values that are lost or different after decoding into the API type, defaulting,
// conversion to the internal version, which is what the API server stores, and encoding.
func changedByEncoding(d *document) ([]string, error) {
	internal, err := toInternal(d.object)
	if err != nil {
		return nil, err
	}
	version := d.object.GetObjectKind().GroupVersionKind().GroupVersion()
	encoded, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(version), internal)
	if err != nil {
		return nil, err
	}
	var stored map[string]any
	if err := utiljson.Unmarshal(encoded, &stored); err != nil {
		return nil, err
	}
	written, err := normalized(d.raw)
	if err != nil {
		return nil, err
	}
	return missingIn(stored, written, ""), nil
}

func toInternal(object runtime.Object) (runtime.Object, error) {
	return legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), runtime.InternalGroupVersioner)
}

// normalized has the number types of the API server's JSON decoder.
func normalized(raw map[string]any) (map[string]any, error) {
	text, err := utiljson.Marshal(raw)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, utiljson.Unmarshal(text, &out)
}

// missingIn lists the paths in `written` whose values `stored` does not have. `stored` may have more keys.
func missingIn(stored, written any, path string) []string {
	switch value := written.(type) {
	case map[string]any:
		other, ok := stored.(map[string]any)
		if !ok {
			return []string{path}
		}
		var missing []string
		for key, item := range value {
			missing = append(missing, missingIn(other[key], item, path+"."+key)...)
		}
		return missing
	case []any:
		other, ok := stored.([]any)
		if !ok || len(other) != len(value) {
			return []string{path}
		}
		var missing []string
		for i, item := range value {
			missing = append(missing, missingIn(other[i], item, fmt.Sprintf("%s[%d]", path, i))...)
		}
		return missing
	}
	if !reflect.DeepEqual(stored, written) {
		return []string{path}
	}
	return nil
}
