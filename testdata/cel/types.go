package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// publishedTypes are OpenAPI v3 documents that an API server publishes, in a directory: api/v1.json,
// apis/apps/v1.json and so on. They tell which fields another release of Kubernetes has.
type publishedTypes struct{ directory string }

func (p publishedTypes) ResolveSchema(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	file := filepath.Join(p.directory, "apis", gvk.Group, gvk.Version+".json")
	if gvk.Group == "" {
		file = filepath.Join(p.directory, "api", gvk.Version+".json")
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, notFound(gvk)
	}
	if err != nil {
		return nil, err
	}
	return publishedSchema(text, gvk)
}

// typeCheckers check with the types of the newest release and, if there are any, with those of a directory.
func (k *kinds) typeCheckers(directory string) []*validating.TypeChecker {
	checkers := []*validating.TypeChecker{k.typeChecker}
	if directory != "" {
		older := &validating.TypeChecker{SchemaResolver: publishedTypes{directory}, RestMapper: k.mapper}
		checkers = append(checkers, older)
	}
	return checkers
}

func notFound(gvk schema.GroupVersionKind) error {
	return fmt.Errorf("cannot resolve %v: %w", gvk, resolver.ErrSchemaNotFound)
}

// publishedSchema finds a kind in an OpenAPI v3 document and resolves its references, as resolver.ClientDiscoveryResolver
// does.
func publishedSchema(text []byte, gvk schema.GroupVersionKind) (*spec.Schema, error) {
	var document struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	const prefix = "#/components/schemas/"
	for name, candidate := range document.Components.Schemas {
		var declared []schema.GroupVersionKind
		if err := candidate.Extensions.GetObject("x-kubernetes-group-version-kind", &declared); err != nil {
			return nil, err
		}
		if slices.Contains(declared, gvk) {
			return resolver.PopulateRefs(func(ref string) (*spec.Schema, bool) {
				found, ok := document.Components.Schemas[strings.TrimPrefix(ref, prefix)]
				return found, ok
			}, prefix+name)
		}
	}
	return nil, notFound(gvk)
}
