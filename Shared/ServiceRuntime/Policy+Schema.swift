extension Policy {
    /// The JSON Schema (2020-12) of a policy file.
    ///
    /// It says what a policy may look like; whether a resource or a group exists, it can not say.
    package static let schema = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Obscura policy",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "operators": {
              "description": "Who may speak for the person, beside root.",
              "type": "array",
              "items": {
                "type": "string",
                "pattern": "^(uid:[0-9]+|unit:.+\\.service|key:[0-9a-f]{64}|container:.+|group:.+)$"
              }
            },
            "restricted": {
              "description": "What nobody can allow, to everybody or to one principal.",
              "type": "array",
              "items": {
                "type": "string",
                "pattern": "^(camera/(?!(front|back|external)( |$))[^ ]+|microphone/[^ ]+|library|location|export)( for (uid|unit|key|container):[^ ]+)?$"
              }
            },
            "granted": {
              "description": "What is allowed to one principal where nobody has decided.",
              "type": "array",
              "items": {
                "type": "string",
                "pattern": "^(camera/(?!(front|back|external) )[^ ]+( use)?|microphone/[^ ]+( use)?|library( (addOnly|read|readWrite))?|location( read)?|export( use)?) for (uid|unit|key|container):[^ ]+$"
              }
            },
            "containers": {
              "description": "Control groups below which a container's name is proof; read at the start of a service.",
              "type": "array",
              "items": { "type": "string", "pattern": "^/(.*/)?$" }
            }
          }
        }
        """#
}
