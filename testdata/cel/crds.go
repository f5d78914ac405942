package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"
)

// customType is a version of a CustomResourceDefinition.
type customType struct {
	definition *apiextensionsv1.CustomResourceDefinition
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

// load reads the CustomResourceDefinitions of a directory, if one is named.
func (k *kinds) load(directory string) error {
	if directory == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(directory, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, definition); err != nil || definition.Kind != "CustomResourceDefinition" {
			return fmt.Errorf("%s is not a CustomResourceDefinition: %w", file, err)
		}
		if err := k.define(definition); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func (k *kinds) define(definition *apiextensionsv1.CustomResourceDefinition) error {
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	names := definition.Spec.Names
	for _, version := range definition.Spec.Versions {
		if !version.Served || version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
			continue
		}
		props := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
			version.Schema.OpenAPIV3Schema, props, nil); err != nil {
			return err
		}
		structural, err := structuralschema.NewStructural(props)
		if err != nil {
			return err
		}
		validator, _, err := validation.NewSchemaValidator(props)
		if err != nil {
			return err
		}
		gvk := schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: names.Kind}
		cluster := definition.Spec.Scope == apiextensionsv1.ClusterScoped
		k.add(gvk, names.Plural, cluster, &customType{definition, structural, validator})
	}
	return nil
}

// admitted prunes and defaults an object of the type, and says why the API server rejects it.
func (t *customType) admitted(object map[string]any) error {
	defaulting.PruneNonNullableNullsWithoutDefaults(object, t.structural)
	pruning.Prune(object, t.structural, true)
	defaulting.Default(object, t.structural)
	return validation.ValidateCustomResource(field.NewPath(""), object, t.validator).ToAggregate()
}

// customSchemas are the OpenAPI documents that the API server publishes for CustomResourceDefinitions.
type customSchemas struct{ kinds *kinds }

func (c customSchemas) ResolveSchema(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	custom := c.kinds.custom[gvk]
	if custom == nil {
		return nil, notFound(gvk)
	}
	published, err := builder.BuildOpenAPIV3(custom.definition, gvk.Version, builder.Options{})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(published) // as it is sent
	if err != nil {
		return nil, err
	}
	return publishedSchema(text, gvk)
}
