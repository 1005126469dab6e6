package io.onceberg.ingest.decode;

import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.io.Serializable;
import java.util.Map;

/**
 * How a target's records are decoded.
 *
 * @param keyConverter Kafka Connect converter configuration of the key, with the class name under
 *     {@code converter}
 * @param valueConverter the same for the value
 * @param fastPaths whether JSON and Avro may be decoded by the paths that skip the converter
 * @param incompatible what happens to a value that its column cannot hold
 * @param unavailablePlaceholder the connector's {@code unavailable.value.placeholder}
 */
public record DecodeSettings(
    TargetKind kind,
    NewColumns newColumns,
    Incompatible incompatible,
    boolean fastPaths,
    String unavailablePlaceholder,
    Map<String, String> keyConverter,
    Map<String, String> valueConverter)
    implements Serializable {
  /** The policy for values of an incompatible type. */
  public enum Incompatible {
    QUARANTINE,
    STOP
  }

  public DecodeSettings {
    keyConverter = Map.copyOf(keyConverter);
    valueConverter = Map.copyOf(valueConverter);
  }

  /** Converter settings may be secret, so only their names are printed. */
  @Override
  public String toString() {
    return "DecodeSettings[%s, %s, %s, fastPaths=%s, key=%s, value=%s]"
        .formatted(
            kind,
            newColumns,
            incompatible,
            fastPaths,
            keyConverter.keySet(),
            valueConverter.keySet());
  }
}
